//! Controls Chromium through a pair of pipes (`--remote-debugging-pipe`), without a
//! driver, port or library.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The time limit of every wait for a page.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the name of an installed Chromium.
fn installed() -> &'static str {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| std::env::split_paths(&path).any(|it| it.join(name).is_file());
    NAMES.into_iter().find(is_there).expect("a Chromium in PATH")
}

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    profile: PathBuf,
    page: String,
    count: u64,
    /// The page's errors, warnings and exceptions.
    complaints: Vec<String>,
    /// The addresses that the page requested.
    pub(crate) requested: Vec<String>,
}

impl Browser {
    pub(crate) fn start() -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = format!("cpb-browser-{}-{number}", std::process::id());
        let profile = std::env::temp_dir().join(profile);
        std::fs::create_dir_all(&profile).expect("a folder of our own");
        // Chromium uses descriptors 3 and 4; the shell puts the pipes there.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", installed()])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let requests = child.stdin.take().expect("piped");
        let replies = BufReader::new(child.stdout.take().expect("piped"));
        let mut browser = Self {
            child,
            requests,
            replies,
            profile,
            page: String::new(),
            count: 0,
            complaints: Vec::new(),
            requested: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", target);
        browser.page = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Opens a file in a window of this width and height in pixels.
    pub(crate) fn open(&mut self, file: &Path, window: (u32, u32)) {
        self.open_at(file, "", window);
    }

    /// Opens a file at `place`, the part of its address from `#` on.
    pub(crate) fn open_at(&mut self, file: &Path, place: &str, window: (u32, u32)) {
        self.visit(&format!("file://{}{place}", file.display()), window);
        self.until("document.documentElement?.dataset.ready === ''");
    }

    /// Visits an address, and waits until it is loaded.
    pub(crate) fn visit(&mut self, address: &str, (width, height): (u32, u32)) {
        // Otherwise an open page would only scroll to the place.
        if address.contains('#') {
            self.call("Page.navigate", json!({ "url": "about:blank" }));
        }
        self.value_unless_left("window.isLeft = true");
        let is_mobile = width < 500;
        let size = json!({ "width": width, "height": height, "mobile": is_mobile, "deviceScaleFactor": 1 });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.call("Page.navigate", json!({ "url": address }));
        self.until("!window.isLeft && document.readyState === 'complete'");
    }

    /// Returns what a screen reader gets from the page: roles and names.
    pub(crate) fn told(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("a tree");
        let shown = nodes.iter().filter(|node| node["ignored"] != json!(true));
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        shown.map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }

    /// Saves a picture of the visible part of the page.
    pub(crate) fn picture(&mut self, file: &Path) {
        let taken = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        std::fs::write(file, data(&taken)).expect("it can be written");
    }

    /// Prints the page, and returns the PDF.
    pub(crate) fn pdf(&mut self) -> Vec<u8> {
        data(&self.call("Page.printToPDF", json!({})))
    }

    /// Makes the page save its files into `folder`.
    pub(crate) fn download_into(&mut self, folder: &Path) {
        let place = json!({ "behavior": "allow", "downloadPath": folder.display().to_string() });
        self.call("Page.setDownloadBehavior", place);
    }

    /// Returns the value of a script's last expression.
    pub(crate) fn value(&mut self, script: &str) -> Value {
        self.value_unless_left(script).expect("the page stays")
    }

    /// Checks that a script's last expression is true.
    #[track_caller]
    pub(crate) fn holds(&mut self, script: &str) {
        assert_eq!(self.value(script), true, "{script}");
    }

    /// Returns the text of the first element for `selector`.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).textContent"));
        text.as_str().expect("text").to_owned()
    }

    /// Does as `value`; returns `None` if another page was loaded meanwhile.
    fn value_unless_left(&mut self, script: &str) -> Option<Value> {
        let parameters =
            json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", parameters);
        let error = answer["error"]["message"].as_str().unwrap_or_default();
        if error == "Inspected target navigated or closed" {
            return None;
        }
        let found = result("Runtime.evaluate", answer);
        assert!(found.get("exceptionDetails").is_none(), "{script}: {found}");
        Some(found["result"]["value"].clone())
    }

    /// Waits until a script's last expression is true.
    pub(crate) fn until(&mut self, script: &str) {
        let start = Instant::now();
        while self.value_unless_left(script) != Some(json!(true)) {
            assert!(start.elapsed() < PATIENCE, "never true: {script}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks in the middle of the element for `selector`, as a pointer does.
    pub(crate) fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Moves the pointer to a position in the page's window.
    pub(crate) fn point_at(&mut self, (x, y): (f64, f64)) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses and releases a key by its name: `ArrowRight`.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// Moves the focus to the next element.
    pub(crate) fn tabulate(&mut self) {
        for kind in ["rawKeyDown", "keyUp"] {
            let key =
                json!({ "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 });
            self.call("Input.dispatchKeyEvent", key);
        }
    }

    /// Types into the focused element.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Scrolls the element for `selector` into the window, and returns its middle.
    pub(crate) fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.value(&format!(
            "(async () => {{
                const element = document.querySelector({selector:?});
                // Elements that come into the window are drawn then, and move the
                // others.
                for (let still = 0, last = null, turn = 0; still < 4 && turn < 100; turn++) {{
                    element.scrollIntoView({{ block: 'center' }});
                    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
                    const {{ top, height }} = element.getBoundingClientRect();
                    still = last === `${{top}} ${{height}} ${{scrollY}}` ? still + 1 : 0;
                    last = `${{top}} ${{height}} ${{scrollY}}`;
                }}
                const box = element.getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2];
            }})()"
        ));
        (place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"))
    }

    /// Sets the reader's preference `prefers-color-scheme`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Shows the page as it is printed, or not.
    pub(crate) fn print_media(&mut self, is_printed: bool) {
        let media = if is_printed { "print" } else { "" };
        self.call("Emulation.setEmulatedMedia", json!({ "media": media }));
    }

    /// Returns the page's complaints since the last call.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // A reply follows all earlier events.
        self.value("0");
        std::mem::take(&mut self.complaints)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        result(method, self.ask(method, parameters))
    }

    /// Returns the browser's whole answer, which may be an error.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.count += 1;
        let mut request = json!({ "id": self.count, "method": method, "params": parameters });
        if !self.page.is_empty() {
            request["sessionId"] = json!(self.page);
        }
        let mut text = request.to_string().into_bytes();
        text.push(0);
        self.requests.write_all(&text).expect("the browser listens");
        loop {
            let mut text = Vec::new();
            self.replies.read_until(0, &mut text).expect("the browser answers");
            assert_eq!(text.pop(), Some(0), "the browser went away during {method}");
            let message: Value = serde_json::from_slice(&text).expect("JSON");
            if message["id"] == json!(self.count) {
                return message;
            }
            self.hear(&message);
        }
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Log.entryAdded") => {
                self.complaints.push(parameters.to_string());
            }
            Some("Runtime.consoleAPICalled") => {
                self.complaints.push(parameters["args"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                self.requested.push(url.to_owned());
            }
            _ => {}
        }
    }
}

/// Returns the file in an answer.
fn data(answer: &Value) -> Vec<u8> {
    let text = answer["data"].as_str().expect("a file");
    data_encoding::BASE64.decode(text.as_bytes()).expect("base64")
}

fn result(method: &str, mut answer: Value) -> Value {
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].take()
}

impl Drop for Browser {
    fn drop(&mut self) {
        // If requested, it also ends its own processes.
        let _ = self.requests.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > Duration::from_secs(5) {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
