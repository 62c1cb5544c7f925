//! Tests folders of sources: what builds is checked and measured, what fails is reported.

mod answers;
mod checksum;
mod compared;
mod hostile;
mod limits;

use crate::program::{Called, Folder, call, command};
use cpb_model::{Operation, Run, Verification};
use std::fs;
use std::path::{Path, PathBuf};

/// Implements FNV-1a with 64 bits in the form of SUPERCOP.
const TOY: &str = "
#include \"crypto_hash.h\"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long bytes) {
    unsigned long long hash = 0xcbf29ce484222325u;
    for (unsigned long long i = 0; i < bytes; i++) hash = (hash ^ in[i]) * 0x100000001b3u;
    for (int i = 0; i < 8; i++) out[i] = hash >> (56 - 8 * i);
    BEFORE_THE_END
    return 0;
}
";

fn toy(message: &[u8]) -> Vec<u8> {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    message.iter().fold(0xcbf2_9ce4_8422_2325, step).to_be_bytes().to_vec()
}

/// Holds a tree, and a place for what is built.
struct Tree(Folder);

impl Tree {
    fn new() -> Self {
        Self(Folder::new())
    }

    fn path(&self) -> PathBuf {
        self.0.path("tree")
    }

    fn cache(&self) -> PathBuf {
        self.0.path("cache")
    }

    fn file(&self, below: &str, text: &str) {
        let path = self.path().join(below);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Adds an implementation of the toy that also does something else.
    fn toy(&self, name: &str, first: &str, before_the_end: &str) {
        let source = format!("{first}{}", TOY.replace("BEFORE_THE_END", before_the_end));
        self.hash(&format!("toy/{name}"), &source);
    }

    /// Adds an implementation of a hash function of 8 bytes.
    fn hash(&self, name: &str, source: &str) {
        self.file(&format!("crypto_hash/{name}/hash.c"), source);
        self.file(&format!("crypto_hash/{name}/api.h"), "#define CRYPTO_BYTES 8\n");
    }

    fn checksums(&self) {
        for (size, sum) in ["small", "big"].into_iter().zip(checksum::of_hash(8, toy)) {
            self.file(&format!("crypto_hash/toy/checksum{size}"), &format!("{sum}\n"));
        }
    }

    fn cpb(&self, words: &str, below: &str) -> Called {
        let mut command = command();
        command.env("XDG_CACHE_HOME", self.cache()).args(words.split_whitespace());
        command.arg("--folder").arg(self.path().join(below)).args(["--compiler", "cc -O1"]);
        call(&mut command)
    }

    fn run(&self, below: &str, more: &str) -> (Called, Run) {
        let words = format!("run --sizes 64 --precision 99% --max-time 60 --format json {more}");
        let called = self.cpb(&words, below);
        let run = called.run();
        (called, run)
    }

    /// Does the same, and checks exit status and standard error.
    fn ends(&self, below: &str, more: &str, status: i32, words: &[&str]) -> Run {
        let (called, run) = self.run(below, more);
        called.ends(status, words);
        run
    }

    /// Returns the files in the cache, and their modification times.
    fn built(&self) -> Vec<(PathBuf, std::time::SystemTime)> {
        let entries = fs::read_dir(self.cache().join("cpb/folders")).expect("a cache").flatten();
        let made = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).expect("a time");
        let mut all: Vec<_> = entries.map(|entry| (entry.path(), made(&entry.path()))).collect();
        all.sort();
        all
    }

    /// Checks that neither files of an unfinished build nor processes are left.
    fn is_tidy(&self) {
        for (path, _) in self.built() {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(!name.starts_with("work-") && !name.starts_with("index-"), "{name}");
        }
        let ours = self.0.word("");
        for process in fs::read_dir("/proc").expect("processes").flatten() {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words).into_owned();
            assert!(!words.contains(&ours), "left behind: {words}");
        }
    }
}

/// Returns the reason why the row of an implementation has no figure.
fn reason(run: &Run, implementation: &str) -> String {
    let is_it = |backend: &str| backend.split('@').next() == Some(implementation);
    let record = run.records.iter().find(|record| is_it(&record.subject.backend));
    let record = record.expect("a row of each");
    record.failure.as_ref().map_or_else(|| "it was measured".to_owned(), |it| it.reason.clone())
}

#[test]
fn what_is_right_is_measured_and_everything_else_is_a_row_with_its_reason() {
    let tree = Tree::new();
    tree.checksums();
    tree.toy("right", "", "");
    tree.toy("fails/compile", "#error no such luck\n", "");
    tree.toy("fails/link", "void nowhere(void);\n", "nowhere();");
    tree.toy("fails/header", "#include \"nowhere.h\"\n", "");
    tree.toy("fails/sum", "", "out[0] ^= bytes > 100;");
    tree.toy("fails/output", "", "out[8] = 1;");
    tree.toy("fails/input", "", "if (bytes) ((unsigned char *)in)[bytes - 1]++;");
    tree.toy("fails/memory", "", "*(volatile char *)0 = 1;");
    tree.toy("fails/state", "static int calls;\n", "out[0] += calls++ == 1;");
    tree.toy("fails/fork", "#include <unistd.h>\n", "if (fork() < 0) return -1;");
    tree.toy("fails/network", "#include <sys/socket.h>\n", "if (socket(2, 1, 0) < 0) return -1;");
    tree.toy("fails/exit", "#include <stdlib.h>\n", "exit(0);");
    tree.file("crypto_kem/toy/fails/pairs/kem.c", "#error no keys\n");
    tree.file("crypto_kem/toy/fails/pairs/api.h", "");
    tree.toy("foreign", "#error not for us\n", "");
    tree.file("crypto_hash/toy/foreign/architectures", "pdp11\n");
    tree.file("crypto_hash/toy/rust/api.h", "");
    tree.file("crypto_hash/toy/rust/Cargo.toml", "");

    let words = "tree: 13 implementations, 1 of 13 builds correct; skipped: 1 for other \
                 architectures, 1 Rust crate";
    let run = tree.ends("", "", 1, &[words]);
    assert_eq!(run.records.len(), 13);
    for (name, words) in [
        ("right", "it was measured"),
        ("fails/compile", "hash.c:1:2: error: #error no such luck"),
        ("fails/link", "undefined reference to `nowhere'"),
        ("fails/header", "nowhere.h: No such file"),
        ("fails/sum", "its checksumsmall is"),
        ("fails/output", "crypto_hash writes behind its output"),
        ("fails/input", "crypto_hash writes to its input"),
        ("fails/memory", "SIGSEGV"),
        ("fails/state", "something else for the same inputs"),
        ("fails/fork", "returns another value"),
        ("fails/network", "returns another value"),
        ("fails/exit", "it left before"),
        ("fails/pairs", "#error no keys"),
    ] {
        let reason = reason(&run, name);
        assert!(reason.contains(words), "{name}: {reason}");
    }
    let right = run.records.iter().find(|record| record.failure.is_none()).expect("one is right");
    let subject = &right.subject;
    assert_eq!((&subject.primitive[..], &subject.spelling[..]), ("toy", "crypto_hash/toy"));
    assert_eq!(subject.backend, "right@cc-O1");
    assert_eq!(right.verification, Some(Verification::KnownAnswer));
    assert_eq!(run.libraries[0].name, "tree");
    tree.is_tidy();

    // Nothing is built a second time.
    let before = tree.built();
    tree.ends("crypto_hash/toy/right", "", 0, &["right: 1 implementation, 1 of 1 builds"]);
    assert_eq!(tree.built(), before);
    tree.cpb("list toy", "crypto_hash/toy").shows(&["right@cc-O1", "no such luck"]);
    // A different source is a different build.
    tree.toy("right", "", "out[0] ^= 1;");
    let run = tree.ends("crypto_hash/toy/right", "", 1, &[]);
    assert!(reason(&run, "right").contains("its checksumsmall is"));
}

#[test]
fn a_primitive_calls_another_of_the_tree() {
    let tree = Tree::new();
    tree.checksums();
    tree.toy("right", "", "");
    tree.toy("wrong", "", "out[0] ^= 1;");
    let calls = "
#include \"crypto_hash_toy.h\"
#include \"crypto_xof.h\"
int crypto_xof(unsigned char *out, long long count, const unsigned char *in, long long bytes) {
    unsigned char first[crypto_hash_toy_BYTES];
    crypto_hash_toy(first, in, bytes);
    for (long long i = 0; i < count; i++) out[i] = first[i % sizeof first];
    return 0;
}
";
    // A XOF precedes hashes in SUPERCOP's order, and cannot call them.
    tree.file("crypto_xof/long/ref/xof.c", calls);
    tree.file("crypto_xof/long/ref/api.h", "");
    let run = tree.ends("crypto_xof", "", 1, &[]);
    assert!(reason(&run, "ref").contains("crypto_hash_toy.h: No such file"));
    let twice = TOY.replace("BEFORE_THE_END", "").replace("crypto_hash(", "first_hash(");
    let twice = format!(
        "#include \"crypto_hash_toy.h\"\n{twice}int crypto_hash(unsigned char *out, const unsigned \
         char *in, unsigned long long bytes) {{ return crypto_hash_toy(out, in, bytes); }}\n"
    );
    tree.hash("toytwo/ref", &twice);
    let run = tree.ends("crypto_hash/toytwo", "", 0, &[]);
    let unproved = matches!(run.records[0].verification, Some(Verification::Unverified { .. }));
    assert!(unproved, "without checksums: {:?}", run.records[0].verification);
}

/// Operation, source, `api.h`, and the measured operations.
type Toy = (&'static str, &'static str, &'static str, &'static [Operation]);

macro_rules! toys {
    ($($name:ident: $api:literal, $measured:expr;)*) => {
        [$((stringify!($name), include_str!(concat!("folders/toys/", stringify!($name), ".c")),
            $api, &$measured),)*]
    };
}

const TOYS: [Toy; 17] = toys! {
    auth: "BYTES 8, KEYBYTES 8", [Operation::Mac];
    stream: "KEYBYTES 8, NONCEBYTES 8", [Operation::Encrypt, Operation::Decrypt];
    aead: "KEYBYTES 8, NSECBYTES 0, NPUBBYTES 8, ABYTES 8",
        [Operation::Seal, Operation::Open, Operation::Auth];
    hashblocks: "STATEBYTES 8, BLOCKBYTES 16", [Operation::Hash];
    scalarmult: "BYTES 8, SCALARBYTES 8", [Operation::Agree, Operation::PublicKey];
    dh: "BYTES 8, SECRETKEYBYTES 8, PUBLICKEYBYTES 8", [Operation::Agree, Operation::Keygen];
    kem: "BYTES 8, SECRETKEYBYTES 8, PUBLICKEYBYTES 8, CIPHERTEXTBYTES 8",
        [Operation::Keygen, Operation::Encapsulate, Operation::Decapsulate];
    sign: "BYTES 8, SECRETKEYBYTES 8, PUBLICKEYBYTES 8, DETERMINISTIC 1",
        [Operation::Keygen, Operation::Sign, Operation::Verify];
    sort: "BYTES 4", [Operation::Sort];
    verify: "BYTES 8", [Operation::Compare];
    core: "OUTPUTBYTES 8, INPUTBYTES 16, KEYBYTES 8, CONSTBYTES 8", [Operation::Core];
    decode: "STRBYTES 6, ITEMBYTES 2, ITEMS 4", [Operation::DecodeItems];
    encode: "STRBYTES 6, ITEMBYTES 2, ITEMS 4", [Operation::EncodeItems];
    rng: "KEYBYTES 8, OUTPUTBYTES 16", [Operation::Rng];
    secretbox: "KEYBYTES 8, NONCEBYTES 8, ZEROBYTES 16, BOXZEROBYTES 8",
        [Operation::Seal, Operation::Open];
    box: "PUBLICKEYBYTES 8, SECRETKEYBYTES 8, BEFORENMBYTES 8, NONCEBYTES 8, ZEROBYTES 16, \
          BOXZEROBYTES 8",
        [Operation::Seal, Operation::Open, Operation::Keygen, Operation::Agree];
    encrypt: "BYTES 16, SECRETKEYBYTES 8, PUBLICKEYBYTES 8",
        [Operation::Keygen, Operation::PublicEncrypt, Operation::PrivateDecrypt];
};

#[test]
fn every_operation_is_checked_and_measured() {
    let tree = Tree::new();
    let implementation = |operation: &str, primitive: &str, source: &str, api: &str| {
        let folder = format!("crypto_{operation}/{primitive}/ref");
        let line = |value: &str| format!("#define CRYPTO_{}\n", value.trim());
        let api: String = api.split(',').map(line).collect();
        tree.file(&format!("{folder}/api.h"), &api);
        tree.file(&format!("{folder}/source.c"), source);
        tree.file(&format!("{folder}/toy.h"), include_str!("folders/toys/toy.h"));
    };
    // Comparisons are named by their length.
    let name = |operation: &str| if operation == "verify" { "8" } else { "toy" };
    for (operation, source, api, _) in TOYS {
        implementation(operation, name(operation), source, api);
    }
    let run = tree.ends("", "", 0, &["17 of 17 builds correct"]);
    for (operation, _, _, measured) in TOYS {
        let spelling = format!("crypto_{operation}/{}", name(operation));
        let rows = run.records.iter().filter(|record| record.subject.spelling == spelling);
        let found: Vec<Operation> = rows.map(|row| row.subject.operation).collect();
        assert_eq!(found.len(), measured.len(), "{operation}: {found:?}");
        assert!(measured.iter().all(|it| found.contains(it)), "{operation}: {found:?}");
    }
    // A box from key pairs is another function than one with a prepared key.
    let run = tree.ends("crypto_box", "--contract oneshot", 0, &[]);
    assert_eq!(run.records.len(), 4);
    tree.is_tidy();
}

#[test]
fn pqclean_and_submissions_to_nist_are_of_the_same_shape() {
    let tree = Tree::new();
    tree.checksums();
    // A submission does not include SUPERCOP's headers.
    tree.toy("submitted", "", "");
    let file = "crypto_hash/toy/submitted/hash.c";
    let source = fs::read_to_string(tree.path().join(file)).expect("written");
    tree.file(file, &source.replace("crypto_hash.h", "api.h"));

    let kem = include_str!("folders/toys/kem.c");
    let named = |text: &str| text.replace("int crypto_kem_", "int PQCLEAN_TOY1_CLEAN_crypto_kem_");
    let kem = named(kem).replace("crypto_kem.h", "api.h").replace("randombytes.h", "random_here.h");
    tree.file("crypto_kem/toy-1/clean/kem.c", &kem);
    let lengths = ["BYTES", "SECRETKEYBYTES", "PUBLICKEYBYTES", "CIPHERTEXTBYTES"];
    let line = |name| format!("#define PQCLEAN_TOY1_CLEAN_CRYPTO_{name} 8\n");
    let api: String = lengths.iter().map(line).collect();
    let prototypes = named(
        "int crypto_kem_keypair(unsigned char *pk, unsigned char *sk);
         int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk);
         int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk);",
    );
    tree.file("crypto_kem/toy-1/clean/api.h", &format!("{api}{prototypes}\n"));
    tree.file(
        "common/toy.h",
        "void toy_sum(unsigned char *, const unsigned char *, unsigned long \
               long, const unsigned char *);\n#include <string.h>\n",
    );
    let sum = include_str!("folders/toys/toy.h").replace("static inline", "");
    tree.file("common/sum.c", &sum);
    tree.file(
        "common/random_here.h",
        "#include <stddef.h>\n#define randombytes \
               PQCLEAN_randombytes\nint randombytes(unsigned char *, size_t);\n",
    );
    tree.file("common/randombytes.c", "#error cpb has its own\n");

    let run = tree.ends("", "", 0, &[]);
    let subjects = run.records.iter().map(|record| &record.subject);
    let rows: Vec<_> =
        subjects.map(|it| (it.primitive.as_str(), it.operation, it.backend.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("toy", Operation::Hash, "submitted@cc-O1"),
            ("toy-1", Operation::Keygen, "clean@cc-O1"),
            ("toy-1", Operation::Encapsulate, "clean@cc-O1"),
            ("toy-1", Operation::Decapsulate, "clean@cc-O1"),
        ]
    );
    assert_eq!(run.records[0].verification, Some(Verification::KnownAnswer));
}

/// In a tree in SUPERCOP's layout, only the named part is built. Implementations that cannot be
/// built on this machine are counted, and are no failure.
#[test]
fn of_a_tree_that_alone_is_built_which_is_named() {
    let tree = Tree::new();
    let blocks = "#define CRYPTO_STATEBYTES 32\n#define CRYPTO_BLOCKBYTES 64\n";
    let hash = "#define CRYPTO_BYTES 32\n";
    for (folder, api, source) in [
        ("crypto_hashblocks/sha256/inplace", blocks, include_str!("folders/supercop/blocks.c")),
        ("crypto_hash/sha256/blocks", hash, include_str!("folders/supercop/hash.c")),
        ("crypto_hash/sha256/arm/neon", hash, "#error not for us\n"),
        ("crypto_hash/sha256/rust", hash, ""),
        ("crypto_hash/sha512/ref", "#define CRYPTO_BYTES 64\n", "#error nobody asked for it\n"),
    ] {
        tree.file(&format!("{folder}/api.h"), api);
        tree.file(&format!("{folder}/implementors"), "Somebody\n");
        tree.file(&format!("{folder}/source.c"), source);
    }
    tree.file("crypto_hash/sha256/arm/neon/architectures", "pdp11 armeabi\n");
    tree.file("crypto_hash/sha256/rust/Cargo.toml", "[package]\nname = \"sha256\"\n");
    tree.file("crypto_hash/sha256/rust/src/lib.rs", "");
    tree.file("crypto_hash/sha256/description", "SHA-256\n");

    let words = "tree: 1 implementation, 1 of 1 builds correct; skipped: 1 for other architectures, \
                 1 Rust crate\n";
    let run = tree.ends("", "crypto_hash/sha256", 0, &[words]);
    let rows: Vec<_> = run.records.iter().map(|record| &record.subject).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0].primitive[..], &rows[0].backend[..]), ("sha256", "blocks@cc-O1"));
    let verified = &run.records[0].verification;
    let is_proved = !matches!(verified, None | Some(Verification::Unverified { .. }));
    assert!(is_proved, "by cpb's own SHA-256: {verified:?}");
    // SHA-512 does not build.
    tree.ends("crypto_hash", "", 1, &[]);
}
