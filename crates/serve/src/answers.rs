//! Serves the pages over HTTP.

use crate::frame::{STYLE, framed, style_sheet};
use crate::markup::{Html, html};
use crate::page_request::PageRequest;
use crate::pages::{self, Answer, Context, Page, Refusal};
use crate::site::Site;
use crate::words::capital;
use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, RawQuery, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH,
    REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{self, IntoResponse, Response};
use axum::routing::get;
use cpb_model::harmless;
use data_encoding::BASE64;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

/// Pages that are made concurrently, each with its own connection to the store.
const AT_ONCE: usize = 4;
/// The time limit of a page, including waiting for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// Nothing from elsewhere, and no scripts: what applies unless a response says otherwise.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// The host names that a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// This machine's addresses, and these names: other sites, whose names may be made to resolve
    /// to this machine, get no answer. A server that only listens locally is requested by its own
    /// addresses.
    Called { names: Vec<String>, listens_here: bool },
    /// Any.
    All,
}

impl Hosts {
    /// Creates the rule for a server that is also called `names`, and may listen only locally.
    pub(crate) fn of(names: &[String], listens_here: bool) -> Self {
        if names.is_empty() && !listens_here {
            return Self::All;
        }
        let names = names.iter().map(|name| without_port(name).to_owned()).collect();
        Self::Called { names, listens_here }
    }

    fn include(&self, name: &str) -> bool {
        let Self::Called { names, listens_here } = self else { return true };
        let is_address = name
            .parse()
            .is_ok_and(|address: std::net::IpAddr| !listens_here || address.is_loopback());
        is_address
            || name.eq_ignore_ascii_case("localhost")
            || names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Removes the port, and the brackets of an address, from a host.
fn without_port(host: &str) -> &str {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // Brackets without an address are no host, and left as they are.
        Some((address, rest)) if address.contains(':') => match rest.strip_prefix(':') {
            Some(port) if is_port(port) => address,
            None if rest.is_empty() => address,
            _ => host,
        },
        Some(_) => host,
        None => host.rsplit_once(':').filter(|it| is_port(it.1)).map_or(host, |(name, _)| name),
    }
}

struct Shared {
    site: Arc<Site>,
    turns: Arc<Semaphore>,
    hosts: Hosts,
    style: String,
    style_tag: String,
}

/// Returns the routes to the pages of `site`, for requests to the right `hosts`.
pub(crate) fn routes(site: &Arc<Site>, hosts: Hosts) -> Router {
    let style = style_sheet();
    let style_tag = format!("\"{}\"", &digest(&style)[..16]);
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let shared = Arc::new(Shared { site: Arc::clone(site), turns, hosts, style, style_tag });
    let mut router = Router::new().route(STYLE, get(send_style));
    for page in pages::PAGES {
        router = router.route(
            page.path,
            get(
                move |shared: State<Arc<Shared>>,
                      name: Result<RawPathParams, RawPathParamsRejection>,
                      RawQuery(query): RawQuery,
                      uri: Uri,
                      headers: HeaderMap| async move {
                    let known = headers.get(IF_NONE_MATCH).cloned();
                    match asked(page, name, query.as_deref().unwrap_or_default()) {
                        Ok(asked) => answer(&shared, page, asked, &uri, known).await,
                        Err(reason) => shared.refuse(&Refusal::Wrong(reason)),
                    }
                },
            ),
        );
    }
    let compression = CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest);
    router
        .fallback(async |State(shared): State<Arc<Shared>>, uri: Uri| {
            let path = harmless(uri.path()).into_owned();
            shared.refuse(&Refusal::Absent(format!("there is no page '{path}'")))
        })
        .method_not_allowed_fallback(async |State(shared): State<Arc<Shared>>, request: Request| {
            shared.refuse(&Refusal::Method(request.method().to_string()))
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), check_host))
        .layer(middleware::map_response(protected))
        .layer(compression)
        .with_state(shared)
}

fn asked(
    page: &Page,
    name: Result<RawPathParams, RawPathParamsRejection>,
    query: &str,
) -> Result<PageRequest, String> {
    let name = name.map_err(|_| "the address is not UTF-8".to_owned())?;
    let name = name.iter().next().map(|(_, value)| value.to_owned());
    PageRequest::parse(name.unwrap_or_default(), query, page.parameters)
}

async fn send_style(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let tag = [(ETAG, value(&shared.style_tag))];
    if is_known(headers.get(IF_NONE_MATCH), &shared.style_tag) {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"))];
    (tag, kind, shared.style.clone()).into_response()
}

/// The result of making a page.
enum Made {
    /// The reader's copy is still current.
    Known(String),
    New(String, Answer),
}

async fn answer(
    shared: &Arc<Shared>,
    page: &'static Page,
    asked: PageRequest,
    uri: &Uri,
    known: Option<HeaderValue>,
) -> Response {
    let turns = Arc::clone(&shared.turns);
    let Ok(Ok(turn)) = timeout(PATIENCE, turns.acquire_owned()).await else {
        return shared.refuse(&Refusal::Busy);
    };
    let (site, address) = (Arc::clone(&shared.site), uri.to_string());
    let work = spawn_blocking(move || {
        let made = make(&site, page, &asked, &address, known.as_ref());
        drop(turn);
        made
    });
    match timeout(PATIENCE, work).await {
        Ok(Ok(Ok(Made::Known(tag)))) => {
            (StatusCode::NOT_MODIFIED, [(ETAG, value(&tag))]).into_response()
        }
        Ok(Ok(Ok(Made::New(tag, answer)))) => shared.send(page, &tag, answer),
        Ok(Ok(Err(refusal))) => shared.refuse(&refusal),
        Ok(Err(_)) => shared.refuse(&Refusal::Broken),
        Err(_) => shared.refuse(&Refusal::Busy),
    }
}

fn make(
    site: &Site,
    page: &'static Page,
    asked: &PageRequest,
    address: &str,
    known: Option<&HeaderValue>,
) -> Result<Made, Refusal> {
    let made = site.with_store(|store| {
        let mark = store.mark()?;
        let findings = site.findings(&mark);
        let tag = site.tag(&mark, &findings, address);
        if is_known(known, &tag) {
            return Ok(Ok(Made::Known(tag)));
        }
        let context = Context { store, asked, mark: &mark, findings: &findings };
        match (page.answer)(&context) {
            Ok(answer) => Ok(Ok(Made::New(tag, answer))),
            Err(Refusal::Store(error)) => Err(error),
            Err(refusal) => Ok(Err(refusal)),
        }
    });
    made?
}

/// Whether a reader has the version with `tag` (RFC 9110 section 13.1.2).
fn is_known(known: Option<&HeaderValue>, tag: &str) -> bool {
    let tags = known.and_then(|known| known.to_str().ok()).unwrap_or_default();
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    tags.split(',').any(|known| known.trim() == "*" || bare(known) == bare(tag))
}

impl Shared {
    fn send(&self, page: &Page, tag: &str, answer: Answer) -> Response {
        let tag = [(ETAG, value(tag))];
        match answer {
            Answer::Page { title, main } => {
                let text = framed(&title, page.menu, &self.about(), &main);
                (tag, response::Html(text)).into_response()
            }
            Answer::Report(text) => {
                let policy = [(CONTENT_SECURITY_POLICY, value(&policy_of_report(&text)))];
                (tag, policy, response::Html(text)).into_response()
            }
        }
    }

    fn about(&self) -> String {
        format!("From {}", self.site.place())
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        let (status, title, words) = refusal.response_parts();
        let words = capital(&words);
        let main: Html = html!(
            "<h1>" (title) "</h1>\n<p class=\"lede\">" (words) ".</p>\n"
            "<p><a href=\"/\">Overview</a></p>\n"
        );
        let text = framed(title, "", &self.about(), &main);
        let mut response = (status, response::Html(text)).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("10"));
        }
        response
    }
}

async fn check_host(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = without_port(request.uri().host().unwrap_or(host));
    if shared.hosts.include(name) {
        return next.run(request).await;
    }
    shared.refuse(&Refusal::Host(harmless(name).into_owned()))
}

/// Adds the headers of every response.
async fn protected(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        // Revalidated every time, and sent only if it changed.
        (CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    response
}

/// Returns the policy of a report, which allows exactly its own style and script, by their digests.
fn policy_of_report(html: &str) -> String {
    let part = |open: &str, close: &str| {
        let inside = html.split_once(open).and_then(|(_, rest)| rest.split_once(close));
        inside.map_or_else(|| "'none'".to_owned(), |(text, _)| format!("'sha256-{}'", digest(text)))
    };
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        part("<style>", "</style>"),
        part("<script>", "</script>"),
    )
}

fn digest(text: &str) -> String {
    BASE64.encode(&Sha256::digest(text))
}

/// Creates a header's value; drops an invalid one.
fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_own_by_address_and_by_name() {
        let names = ["bench.example:8443".to_owned()];
        let is_own = |host: &str| Hosts::of(&names, true).include(without_port(host));
        for own in [
            "localhost",
            "LOCALHOST:8377",
            "127.0.0.1",
            "127.0.0.1:1",
            "127.1.2.3",
            "[::1]",
            "[::1]:8377",
            "bench.example:80",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            "",
            ":",
            "evil.example",
            "evil.example:8377",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]",
            "[",
            "127.0.0.1@evil.example",
            "[localhost]evil.example",
            "[localhost]",
            "[127.0.0.1]",
            "[::1]evil.example",
            "[::1]:evil.example",
            "localhost:evil.example",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn who_listens_to_all_answers_to_addresses_and_given_names_alone() {
        let is_answered =
            |names: &[String], host: &str| Hosts::of(names, false).include(without_port(host));
        let names = ["bench.example".to_owned()];
        for own in ["bench.example:8443", "10.0.0.1", "[2001:db8::1]:8377", "localhost"] {
            assert!(is_answered(&names, own), "{own}");
        }
        assert!(!is_answered(&names, "evil.example") && !is_answered(&names, ""));
        assert!(is_answered(&[], "evil.example"), "without a name, everybody");
    }

    #[test]
    fn tags_are_compared_weakly() {
        let known = |text: &str| is_known(Some(&HeaderValue::from_str(text).unwrap()), "W/\"a\"");
        assert!(known("W/\"a\"") && known("\"a\"") && known("\"b\", W/\"a\"") && known("*"));
        assert!(!known("\"b\"") && !known("") && !is_known(None, "W/\"a\""));
    }

    #[test]
    fn a_report_s_own_script_alone_is_allowed() {
        let policy = policy_of_report("<style>a</style><script>b</script><script>c</script>");
        assert!(policy.contains(&format!("style-src 'sha256-{}'", digest("a"))), "{policy}");
        assert!(policy.contains(&format!("script-src 'sha256-{}'", digest("b"))), "{policy}");
        assert!(policy_of_report("").contains("script-src 'none'"));
    }
}
