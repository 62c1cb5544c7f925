//! Lists command lines that work as they are, up to three per command; a test runs them.

pub(super) const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "cpb run sha256",
            "cpb run aes-128-gcm --library openssl,gcrypt --sizes 64,1350",
            "cpb run aead seal --across 1350",
        ],
    ),
    (
        "scale",
        &[
            "cpb scale sha256 --library openssl",
            "cpb scale aes-128-gcm --library openssl --threads 1,all",
            "cpb scale sha256 --library native --beside memory",
        ],
    ),
    (
        "path",
        &[
            "cpb path sha256",
            "cpb path aes-128-gcm --library openssl --sizes 64,1024 --verbose",
            "cpb path sha256 --library native --format json",
        ],
    ),
    (
        "chain",
        &[
            "cpb chain make --start 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff \
             --length 1M --every 10K --output chain.csv",
            "cpb chain verify chain.csv",
            "cpb chain verify chain.csv --threads 1 --backend portable",
        ],
    ),
    (
        "compare",
        &[
            "cpb compare openssl gcrypt aes-128-gcm",
            "cpb compare sha256 sha3-256 --sizes 64,1350",
            "cpb compare openssl native sha256 --fail-if slower",
        ],
    ),
    (
        "gate",
        &[
            "cpb gate --baseline latest",
            "cpb gate sha256 --baseline latest --tolerance 3%",
            "cpb gate --baseline latest --format markdown --output gate.md",
        ],
    ),
    ("history", &["cpb history", "cpb history sha256", "cpb history sha256 --changes"]),
    ("show", &["cpb show", "cpb show latest --sizes 64,1024", "cpb show latest --across 1024"]),
    (
        "report",
        &[
            "cpb report latest --html page.html",
            "cpb report latest --markdown",
            "cpb report latest --svg charts",
        ],
    ),
    (
        "plot",
        &[
            "cpb plot latest",
            "cpb plot latest --quantity speed --output speed.svg",
            "cpb plot latest --only sha256 --output sha256.svg",
        ],
    ),
    ("serve", &["cpb serve", "cpb serve --listen 127.0.0.1:9000", "cpb serve --store runs.sqlite"]),
    ("list", &["cpb list", "cpb list 'aes-*-gcm'", "cpb list --libraries"]),
    ("doctor", &["cpb doctor", "cpb doctor --strict", "cpb doctor --format json"]),
    ("machines", &["cpb machines", "cpb machines --format csv"]),
    (
        "label",
        &["cpb label latest before", "cpb label before --remove", "cpb label latest baseline"],
    ),
    (
        "export",
        &[
            "cpb export latest --output run.json",
            "cpb export latest --no-raw --output small.json",
            "cpb export latest --output run.csv",
        ],
    ),
    (
        "import",
        &["cpb import run.json --store runs.sqlite", "cpb import small.json --store other.sqlite"],
    ),
    ("delete", &["cpb delete latest~1", "cpb delete latest", "cpb delete 1"]),
    (
        "fleet",
        &[
            "cpb fleet run tls --partition compute --nodes 8",
            "cpb fleet status",
            "cpb fleet report",
        ],
    ),
    ("config", &["cpb config", "cpb config --format json"]),
    ("completions", &["cpb completions bash", "cpb completions zsh", "cpb completions fish"]),
    ("man", &["cpb man ."]),
    (
        "slope",
        &[
            "cpb slope hash sha256 --library openssl",
            "cpb slope cipher aes-128-gcm --library openssl --wide",
            "cpb slope hash sha256 --library openssl --format csv",
        ],
    ),
    (
        "primitive",
        &[
            "cpb primitive list",
            "cpb primitive hash-sha-2-256 --message-size 1024",
            "cpb primitive hash-sha-2-256 --message-size 64 --format csv",
        ],
    ),
    ("bench", &["cpb bench", "cpb bench 100 --src-lens 64", "cpb bench 100 --all-backends"]),
    (
        "recursive",
        &[
            "cpb recursive --iterations 100K",
            "cpb recursive --iterations 100K --lanes auto",
            "cpb recursive --iterations 100K --threads 2",
        ],
    ),
    ("links", &["cpb links ."]),
];
