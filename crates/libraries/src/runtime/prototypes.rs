//! Holds the types that functions are called by against the headers of their library: what
//! [`Loaded::function`](super::Loaded::function) was asked for while a library was opened is
//! compared, by a C++ compiler, with what its header declares.

use crate::OpenError;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

thread_local! {
    static CALLED: RefCell<Vec<(String, &'static str)>> = const { RefCell::new(Vec::new()) };
}

/// Notes that the function of this name is called as `F`.
pub(super) fn note<F>(symbol: &str) {
    CALLED.with_borrow_mut(|called| called.push((symbol.to_owned(), std::any::type_name::<F>())));
}

/// Compares all functions that are called in what `open` opens with what `headers` declare.
pub(crate) fn agree_with_headers<T>(headers: &[&str], open: impl FnOnce() -> Result<T, OpenError>) {
    CALLED.take();
    let opened = open().map(drop);
    let called = CALLED.take();
    let include = |header: &&str| {
        format!(
            "#if __has_include(<{header}>)\n#include <{header}>\n#else\n#error {SKIP}\n#endif\n"
        )
    };
    let found = match opened {
        Err(error @ OpenError::Missing { .. }) => Err(error.to_string()),
        Err(error) => panic!("{error}"),
        Ok(()) => problems(&headers.iter().map(include).collect::<String>(), &called),
    };
    match found {
        // Past the captured output: `script/test` says it again at its end.
        Err(reason) => {
            let _ =
                writeln!(std::io::stderr(), "\nskipped: prototypes of {}: {reason}", headers[0]);
        }
        Ok(problems) => {
            println!("{}: {} functions", headers[0], called.len());
            assert!(!called.is_empty() && problems.is_empty(), "{problems:#?}");
        }
    }
}

const SKIP: &str = "there is no such header";

/// Every difference in the compiler's words, or why nothing could be compared.
fn problems(declared: &str, called: &[(String, &'static str)]) -> Result<Vec<String>, String> {
    let mut source = format!("{declared}\n{}", include_str!("prototypes.hpp"));
    for (symbol, rust) in called {
        let ours = in_cpp(rust);
        let _ = writeln!(source, "static_assert(fits<{ours}>(&{symbol}), \"{symbol}: {ours}\");");
    }
    let compiler = Command::new("c++")
        .args(["-std=c++17", "-fsyntax-only", "-Wno-deprecated-declarations", "-x", "c++", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut compiler = compiler.map_err(|error| format!("there is no C++ compiler ({error})"))?;
    // One that gives up early leaves the rest unread.
    let _ = compiler.stdin.take().expect("a pipe").write_all(source.as_bytes());
    let output = compiler.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = words.lines().filter(|line| line.contains("error: ")).collect();
    assert_eq!(output.status.success(), errors.is_empty(), "{words}");
    if words.contains(SKIP) {
        return Err(SKIP.to_owned());
    }
    Ok(errors.into_iter().map(str::to_owned).collect())
}

/// The type of a function, `unsafe extern "C" fn(…) -> …`, in C++.
fn in_cpp(rust: &str) -> String {
    let list = rust.strip_prefix("unsafe extern \"C\" fn(").expect("a function of C's");
    let (mut arguments, mut depth, mut start) = (Vec::new(), 0, 0);
    let end = list.char_indices().find_map(|(at, character)| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        if depth < 0 || depth == 0 && character == ',' {
            arguments.push(list[start..at].trim());
            start = at + 1;
        }
        (depth < 0).then_some(start)
    });
    let result = list[end.expect("a closing parenthesis")..].strip_prefix(" -> ").unwrap_or("()");
    arguments.retain(|argument| !argument.is_empty());
    let arguments: Vec<_> = arguments.into_iter().map(value_in_cpp).collect();
    format!("{}({})", value_in_cpp(result), arguments.join(", "))
}

fn value_in_cpp(rust: &str) -> String {
    if let Some(pointee) = rust.strip_prefix("*const ").or_else(|| rust.strip_prefix("*mut ")) {
        return format!("{}*", value_in_cpp(pointee));
    }
    let plain = match rust {
        "()" => "void",
        "..." => "...",
        "i8" => "std::int8_t",
        "u8" => "std::uint8_t",
        "i32" => "std::int32_t",
        "u32" => "std::uint32_t",
        "i64" => "std::int64_t",
        "u64" => "std::uint64_t",
        "usize" => "std::size_t",
        _ if rust.contains(" fn(") => "void*",
        _ if rust.contains("::") => "void",
        _ => panic!("{rust} has no counterpart in C"),
    };
    plain.to_owned()
}

#[test]
fn every_difference_is_found() {
    type Function = unsafe extern "C" fn(*const u8, i32, *mut usize, *mut *mut (), ...) -> u64;
    let rust = std::any::type_name::<Function>();
    let differences = |declared: &str| {
        let include = format!("extern \"C\" {declared}");
        problems(&include, &[("f".to_owned(), rust)])
    };
    let right = "unsigned long f(const void *, int, unsigned long *, struct f_s **, ...);";
    let Ok(found) = differences(right) else { return };
    assert_eq!(found, [""; 0]);
    // Narrower and wider, without a sign, by value, behind a pointer, fewer, and no longer free.
    for (was, is) in [
        ("unsigned long f", "unsigned f"),
        ("unsigned long f", "long f"),
        ("unsigned long f", "void f"),
        (" int,", " unsigned,"),
        (" int,", " long,"),
        (" int,", " short,"),
        (" int,", ""),
        ("const void *", "unsigned long"),
        ("const void *", "const int *"),
        ("unsigned long *", "unsigned *"),
        ("struct f_s **", "long *"),
        (", ...", ""),
        (", ...", ", int"),
    ] {
        let declared = right.replacen(was, is, 1);
        let found = differences(&declared).unwrap();
        assert!(matches!(&found[..], [one] if one.contains("f: ")), "{declared}: {found:?}");
    }
    assert_eq!(differences("int g;").unwrap().len(), 1, "it is not declared");
}
