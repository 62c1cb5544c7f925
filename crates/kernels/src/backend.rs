//! Why a backend cannot be had, in words a user can act on.

/// Why a backend that was asked for by name cannot be used here.
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The backend exists, but for another architecture.
    #[error(
        "backend {backend} is for {architecture}, this program was built for {}; \
         choose another backend or run a build for {architecture}",
        std::env::consts::ARCH
    )]
    OtherArchitecture {
        /// The backend asked for.
        backend: &'static str,
        /// The architecture it is for, in Rust's spelling (`x86_64`, `aarch64`).
        architecture: &'static str,
    },
    /// The backend is for this architecture, but this CPU is too old for it.
    #[error(
        "backend {backend} needs {}, which this CPU (or its hypervisor or operating system) \
         does not offer; choose another backend or another machine",
        features.join(" and ")
    )]
    MissingFeature {
        /// The backend asked for.
        backend: &'static str,
        /// The features it lacks, in Rust's spelling.
        features: Vec<&'static str>,
    },
    /// No backend has this name on any architecture.
    #[error("there is no backend {backend:?}; the names are {}", allowed.join(", "))]
    Unknown {
        /// The name asked for.
        backend: String,
        /// The names that exist, on all architectures.
        allowed: &'static [&'static str],
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_state_reason_and_remedy() {
        let other = Unavailable::OtherArchitecture { backend: "fast", architecture: "m68k" };
        assert!(other.to_string().contains("is for m68k"));
        assert!(other.to_string().contains("run a build for m68k"));
        let missing = Unavailable::MissingFeature { backend: "fast", features: vec!["one", "two"] };
        assert!(missing.to_string().contains("needs one and two"));
        assert!(missing.to_string().contains("choose another"));
        let unknown = Unavailable::Unknown { backend: "fats".into(), allowed: &["fast", "slow"] };
        assert!(unknown.to_string().contains("\"fats\""));
        assert!(unknown.to_string().contains("fast, slow"));
    }
}
