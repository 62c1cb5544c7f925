//! Tests malicious names and addresses.

use crate::client::Running;
use crate::team::{library, of_day};
use cpb_store::{Store, StoreLocation};

const EVIL: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "../../etc/passwd",
    "a/b?c=d#e&f",
    "'; DROP TABLE runs; --",
];

pub fn hostile_names_are_texts_on_every_page(place: &StoreLocation) {
    let mut store = Store::open_or_create(place).unwrap();
    for day in 0..6 {
        let mut run = of_day(0, day);
        run.host.cpu = Some(EVIL[0].to_owned());
        run.host.kernel = Some(EVIL[if day < 3 { 1 } else { 0 }].to_owned());
        run.host.microcode = Some(EVIL[1].to_owned());
        run.version = EVIL[0].to_owned();
        run.command = EVIL.map(str::to_owned).into();
        run.warnings = vec![EVIL[0].to_owned()];
        run.libraries = EVIL.map(|name| library(name, EVIL[0])).into();
        for (place, record) in run.records.iter_mut().enumerate() {
            record.subject.primitive = EVIL[place % EVIL.len()].to_owned();
            record.workload.primitive.clone_from(&record.subject.primitive);
            record.subject.library = EVIL[(place + place / EVIL.len()) % EVIL.len()].to_owned();
            record.subject.backend = EVIL[1].to_owned();
            record.subject.spelling = format!("{}{place}", EVIL[0]);
            let factor = if day < 3 { 1.0 } else { 1.5 };
            crate::team::scale(record, factor * (1.0 + place as f64));
        }
        let number = store.save(&run).unwrap();
        store.label(number, &format!("{}{day}", EVIL[1]), false).unwrap();
    }
    let server = Running::over(place);
    let mut addresses: Vec<String> = [
        "/",
        "/changes",
        "/runs",
        "/run/1/rows",
        "/compare?a=1&b=6",
        "/primitives",
        "/libraries",
        "/machines",
        "/run/1",
        "/compare/report?a=1&b=2",
    ]
    .map(str::to_owned)
    .into();
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    for evil in EVIL {
        let evil = encoded(evil);
        for page in
            ["/primitive/", "/library/", "/runs?text=", "/changes?text=", "/primitives?text="]
        {
            addresses.push(format!("{page}{evil}"));
        }
    }
    let machine = &store.machines().unwrap()[0].0.id;
    addresses.push(format!("/machine/{machine}"));
    for address in addresses {
        let page = server.page(&address);
        for evil in ["<script>alert", "<img src=x"] {
            assert!(!page.contains(evil), "{address}: {evil}: {page}");
        }
        // The links to these names stay within their quotes.
        for link in page.split("href=\"").skip(1).filter_map(|part| part.split_once('"')) {
            assert!(!link.0.contains(['<', '>', ' ']), "{address}: {}", link.0);
        }
    }
}

pub fn wrong_addresses_are_told_what_is_wrong(place: &StoreLocation) {
    crate::filled(place, 4);
    let server = Running::over(place);
    let long = "x".repeat(3000);
    let cases: &[(&str, u16, &str)] = &[
        ("/nothing", 404, "There is no page &#39;/nothing&#39;"),
        ("/run", 404, "There is no page"),
        ("/run/99", 404, "There is no run &#39;99&#39;; the newest is run 12"),
        ("/run/99999999999999999999999", 404, "There is no run"),
        ("/run/-1", 404, "There is no run"),
        ("/run/%00", 404, "There is no run &#39;\\u{0}&#39;"),
        ("/run/%ff", 400, "not UTF-8"),
        ("/run/1?raw=1", 400, "no parameter &#39;raw&#39;, and no other"),
        ("/run/..%2f..%2fetc%2fpasswd", 404, "There is no run"),
        ("/../../etc/passwd", 404, "There is no page"),
        ("/primitive/sha25", 404, "there is sha256"),
        ("/primitive/%00%1b%5b2J", 404, "No saved run has a primitive"),
        ("/primitive/sha256?runs=1", 400, "&#39;runs&#39; is a whole number from 3 to 2000"),
        ("/primitive/sha256?until=x", 400, "is a whole number"),
        ("/library/nothing", 404, "No saved run has a library &#39;nothing&#39;"),
        ("/machine/zz", 404, "No run is of a machine &#39;zz&#39;"),
        ("/changes?became=better", 400, "&#39;became&#39; is one of slower, faster"),
        ("/changes?least=1&least=2", 400, "given twice"),
        ("/changes?x=1", 400, "it has text, machine, library, became, least, run, part"),
        ("/runs?part=0", 400, "&#39;part&#39; is a whole number from 1"),
        ("/runs?text=%ff", 400, "not UTF-8"),
        ("/compare?a=1&b=nothing", 404, "There is no run &#39;nothing&#39;"),
        ("/compare/report", 400, "&#39;a&#39; is missing"),
    ];
    for (address, status, words) in cases {
        let answer = server.get(address);
        let text = answer.text();
        assert_eq!(answer.status, *status, "{address}: {text}");
        assert!(text.contains(words), "{address}: {text}");
        assert!(text.contains("<h1>") && text.contains("href=\"/\""), "{address}");
    }
    assert_eq!(server.get(&format!("/primitive/{long}")).status, 404);
    assert_eq!(server.get(&format!("/runs?text={long}{long}")).status, 400);
    // The request is longer than any header may be.
    let request = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20));
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
    drop(stream);
    for request in ["\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\r\n\r\n"] {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
    }
    assert_eq!(server.get("/").status, 200, "it is still there");
}
