//! Generates the headers that an implementation expects.

use crate::dialect::Dialect;
use crate::operations::Operation;
use crate::tree::Implementation;
use std::fmt::Write;

/// Returns a name unique to this implementation among everything linked.
pub(crate) fn namespace(implementation: &Implementation) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    implementation.path().chars().map(plain).collect()
}

/// Returns the name by which others call it: `crypto_hash_sha256`.
pub(crate) fn primitive(implementation: &Implementation) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = implementation.primitive.chars().map(plain).collect();
    format!("crypto_{}_{name}", implementation.operation.name)
}

/// Iterates over what follows `crypto_OPERATION` in the names that it defines.
fn endings(operation: &'static Operation) -> impl Iterator<Item = String> {
    let functions = operation.functions.iter().map(|(ending, ..)| (*ending).to_owned());
    functions.chain(operation.values.iter().map(|value| format!("_{value}")))
}

/// Generates `crypto_hash.h`: the operation, as its single primitive here.
pub(crate) fn of_operation(implementation: &Implementation) -> (String, String) {
    let operation = format!("crypto_{}", implementation.operation.name);
    let primitive = primitive(implementation);
    let mut body = format!("#include \"{primitive}.h\"\n");
    for ending in endings(implementation.operation) {
        let _ = writeln!(body, "#define {operation}{ending} {primitive}{ending}");
    }
    let _ = writeln!(body, "#define {operation}_PRIMITIVE \"{}\"", implementation.primitive);
    for trait_of in ["IMPLEMENTATION", "VERSION"] {
        let _ = writeln!(body, "#define {operation}_{trait_of} {primitive}_{trait_of}");
    }
    (format!("{operation}.h"), guarded(&operation, &body))
}

/// Generates `crypto_hash_sha256.h`, and its variant for callers with public inputs: the primitive
/// as this implementation, with the lengths of `api`.
pub(crate) fn of_primitive(
    implementation: &Implementation,
    dialect: &Dialect,
    api: &str,
) -> Vec<(String, String)> {
    let primitive = primitive(implementation);
    let header = |name: String| {
        let body = match dialect {
            Dialect::Plain | Dialect::Supercop => named_by_us(implementation, api, &name),
            Dialect::Pqclean { prefix } => named_by_itself(implementation, prefix, api, &name),
        };
        (format!("{name}.h"), guarded(&name, &body))
    };
    vec![header(primitive.clone()), header(format!("{primitive}_publicinputs"))]
}

/// Gives every name a unique form for this implementation.
fn named_by_us(implementation: &Implementation, api: &str, name: &str) -> String {
    let operation = implementation.operation;
    let own = namespace(implementation);
    let mut prototypes = String::new();
    for (ending, result, parameters) in operation.functions {
        let _ = writeln!(prototypes, "extern {result} {own}{ending}({parameters});");
    }
    let mut body = renamed(api, &own);
    let _ = write!(
        body,
        "\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n{prototypes}#ifdef __cplusplus\n}}\n#endif\n"
    );
    for ending in endings(operation) {
        let _ = writeln!(body, "#define {name}{ending} {own}{ending}");
    }
    let _ = writeln!(body, "#define {name}_IMPLEMENTATION \"{}\"", implementation.path());
    let _ = writeln!(body, "#ifndef {own}_VERSION\n#define {own}_VERSION \"-\"\n#endif");
    let _ = writeln!(body, "#define {name}_VERSION {own}_VERSION");
    body
}

/// Keeps its names, which are unique already: they begin with `prefix`.
fn named_by_itself(implementation: &Implementation, prefix: &str, api: &str, name: &str) -> String {
    let operation = implementation.operation;
    let mut body = format!("{api}\n");
    for (ending, ..) in operation.functions {
        let _ = writeln!(body, "#define {name}{ending} {prefix}_crypto_{}{ending}", operation.name);
    }
    for value in operation.values {
        let _ = writeln!(body, "#define {name}_{value} {prefix}_CRYPTO_{value}");
    }
    body
}

/// Replaces `CRYPTO_` at the beginning of words in `api.h` by the implementation's own name.
fn renamed(api: &str, own: &str) -> String {
    let own = format!("{own}_");
    api.lines().fold(String::new(), |mut text, line| {
        let renamed = line.replace(" CRYPTO_", &format!(" {own}"));
        text.push_str(&renamed.replace("\tCRYPTO_", &format!("\t{own}")));
        text.push('\n');
        text
    })
}

fn guarded(name: &str, body: &str) -> String {
    format!("#ifndef {name}_H\n#define {name}_H\n{body}#endif\n")
}

/// Returns our headers that every implementation may include, as names and texts.
pub(crate) fn shared() -> Vec<(String, String)> {
    let plain = [
        ("agreement-check.h", include_str!("../c/agreement-check.h")),
        ("boxed.h", include_str!("../c/boxed.h")),
        ("check.h", include_str!("../c/check.h")),
        ("drbg.h", include_str!("../c/drbg.h")),
        ("fixed.h", include_str!("../c/fixed.h")),
        ("keys.h", include_str!("../c/keys.h")),
        ("mac.h", include_str!("../c/mac.h")),
        ("mac-check.h", include_str!("../c/mac-check.h")),
        ("nist.h", include_str!("../c/nist.h")),
        ("offers.h", include_str!("../c/offers.h")),
        ("random.h", include_str!("../c/random.h")),
        ("cpb_provider.h", include_str!("../../../shims/cpb_provider.h")),
        ("joined.h", include_str!("../../../shims/joined.h")),
        ("key_pairs.h", include_str!("../../../shims/key_pairs.h")),
        ("shim.h", include_str!("../../../shims/shim.h")),
        ("shim_offers.h", include_str!("../../../shims/shim_offers.h")),
        ("symmetric.h", include_str!("../../../shims/symmetric.h")),
        ("test-loops.inc", ""),
        ("crypto_asm_hidden.h", "#define ASM_HIDDEN .hidden\n"),
    ];
    let plain = plain.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let declared = [
        ("randombytes", "unsigned char *, unsigned long long"),
        ("kernelrandombytes", "unsigned char *, unsigned long long"),
        ("crypto_declassify", "const void *, unsigned long long"),
    ];
    let declared = declared.map(|(name, parameters)| {
        let body =
            format!("#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid {name}({parameters});\n");
        (format!("{name}.h"), guarded(name, &body))
    });
    plain.into_iter().chain(declared).chain(integers()).collect()
}

/// Generates `crypto_int8.h` to `crypto_uint64.h`.
fn integers() -> impl Iterator<Item = (String, String)> {
    let template = include_str!("../c/crypto_intN.h");
    [8, 16, 32, 64].into_iter().flat_map(move |bits| {
        [("int", "uint", "unsigned"), ("uint", "int", "signed")].map(|(sign, other, word)| {
            let name = format!("{sign}{bits}");
            let text = template
                .replace("TYPE_OTHERSIGN", &format!("{name}_{word}"))
                .replace("OTHER_t", &format!("{other}{bits}_t"))
                .replace("IS_SIGNED", if sign == "int" { "1" } else { "0" })
                .replace("TYPE", &name)
                .replace("BITS", &bits.to_string());
            (format!("crypto_{name}.h"), text)
        })
    })
}
