//! Looks up backends by name. Generates the `Backend` type of each primitive, and
//! says in words a user can act on why a backend cannot be used.

use std::fmt::Debug;

use crate::cpu::Feature;

/// Says why a backend that was requested by name cannot be used here.
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The backend exists, but for another architecture, in Rust's spelling (`x86_64`, `aarch64`).
    #[error(
        "backend {backend} is for {architecture}, this program was built for {}; \
         choose another backend or run a build for {architecture}",
        std::env::consts::ARCH
    )]
    OtherArchitecture { backend: &'static str, architecture: &'static str },
    /// The backend is for this architecture, but this CPU is too old for it: it lacks some of the
    /// needed features, all in Rust's spelling.
    #[error(
        "backend {backend} needs {}; this CPU (or its hypervisor or operating system) does not \
         offer {}; choose another backend or another machine",
        needed.join(", "),
        missing.join(" and ")
    )]
    MissingFeature { backend: &'static str, needed: Vec<&'static str>, missing: Vec<&'static str> },
    /// No backend has this name on any architecture; the allowed ones exist on one.
    #[error("there is no backend {backend:?}; the names are {}", allowed.join(", "))]
    Unknown { backend: String, allowed: &'static [&'static str] },
}

impl Unavailable {
    /// Makes the error for a backend whose required features are not all present.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "portable kernels need none")
    )]
    pub(crate) fn without(backend: &'static str, features: &[Feature]) -> Self {
        let names = |of: &mut dyn Iterator<Item = &Feature>| of.map(|it| it.name).collect();
        Self::MissingFeature {
            backend,
            needed: names(&mut features.iter()),
            missing: names(&mut features.iter().filter(|it| !it.present)),
        }
    }
}

/// An implementation of a primitive that this CPU can run: a value with a name.
pub trait Backend: Copy + Debug + PartialEq + 'static {
    /// Names every backend of every architecture, in the order they are listed to users.
    const NAMES: &'static [&'static str];
    /// The backend that every CPU can run.
    const PORTABLE: Self;

    /// Returns the backend of that name; `scalar` is an alias of `portable`.
    ///
    /// # Errors
    /// [`Unavailable`] says why this program or CPU has no such backend.
    fn by_name(name: &str) -> Result<Self, Unavailable>;

    /// Returns the backend that measured fastest on CPUs of this family. It is looked up once
    /// and then cached.
    fn fastest() -> Self;

    /// Returns the name, which is one of [`NAMES`](Self::NAMES).
    fn name(self) -> &'static str;

    /// Returns the backends this CPU can run, in the order of [`NAMES`](Self::NAMES). The list
    /// is never empty: it always has `portable`.
    fn available() -> Vec<Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name).ok()).collect()
    }
}

/// Generates a primitive's `Backend`: a value with a name that exists only where the
/// CPU can run it. Each line gives a variant of the private `Kind`, the token of
/// [`cpu`](crate::cpu) that proves it, its name, its architecture, and its module;
/// `portable` is always available and comes first.
///
/// Functions that follow become inlined inherent functions. Each passes its
/// arguments to the function of the same name in the backend's module, with the
/// token where there is one. The modules are siblings of the caller's; a primitive
/// without functions names none.
///
/// The caller's scope defines `fn preferences() -> &'static [&'static str]`: the
/// names from which [`fastest`](crate::Backend::fastest) takes the first
/// that this CPU has.
macro_rules! backends {
    (
        $(#[$meta:meta])*
        $Backend:ident $variants:tt
        $(
            $(#[$function_meta:meta])*
            $visibility:vis fn $name:ident(
                $($argument:ident: $Type:ty),* $(,)?
            ) $(-> $Result:ty)?;
        )*
    ) => {
        $crate::backend::backends! { @type $(#[$meta])* $Backend $variants }

        impl $Backend {
            $(
                $crate::backend::backends! {
                    @function $variants ($($argument),*)
                    $(#[$function_meta])*
                    $visibility fn $name($($argument: $Type),*) $(-> $Result)?
                }
            )*
        }
    };

    // The variants arrive as one token, because they repeat for every function; the
    // arguments do too, because they repeat for every variant.
    (
        @function {
            $(
                $Kind:ident($Token:ident) $backend:literal on $architecture:literal
                in $module:ident,
            )+
        }
        $arguments:tt
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)?
    ) => {
        $(#[$meta])*
        #[inline]
        $visibility fn $name(self, $($argument: $Type),*) $(-> $Result)? {
            match self.0 {
                Kind::Portable => super::portable::$name $arguments,
                $(
                    #[cfg(target_arch = $architecture)]
                    Kind::$Kind(token) => {
                        $crate::backend::backends!(@call $module $name token $arguments)
                    }
                )+
            }
        }
    };
    (@call $module:ident $name:ident $token:ident ($($argument:ident),*)) => {
        super::$module::$name($token, $($argument),*)
    };

    (
        @type
        $(#[$meta:meta])*
        $Backend:ident {
            $(
                $Kind:ident($Token:ident) $name:literal on $architecture:literal
                $(in $module:ident)?,
            )+
        }
    ) => {
        $(#[$meta])*
        ///
        /// A value proves that its CPU features are present.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Backend(Kind);

        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Kind {
            Portable,
            $(
                #[cfg(target_arch = $architecture)]
                $Kind($crate::cpu::$Token),
            )+
        }

        impl $crate::Backend for $Backend {
            const NAMES: &'static [&'static str] = &["portable", $($name),+];
            const PORTABLE: Self = Self(Kind::Portable);

            fn by_name(name: &str) -> Result<Self, $crate::Unavailable> {
                match name {
                    "portable" | "scalar" => Ok(Self::PORTABLE),
                    $(
                        $name => {
                            #[cfg(target_arch = $architecture)]
                            let backend = $crate::cpu::$Token::detect()
                                .map(Self::from)
                                .ok_or_else(|| {
                                    let features = $crate::cpu::$Token::features();
                                    $crate::Unavailable::without($name, &features)
                                });
                            #[cfg(not(target_arch = $architecture))]
                            let backend = Err($crate::Unavailable::OtherArchitecture {
                                backend: $name,
                                architecture: $architecture,
                            });
                            backend
                        }
                    )+
                    _ => Err($crate::Unavailable::Unknown {
                        backend: name.into(),
                        allowed: Self::NAMES,
                    }),
                }
            }

            #[inline]
            fn fastest() -> Self {
                static FASTEST: std::sync::OnceLock<$Backend> = std::sync::OnceLock::new();
                *FASTEST.get_or_init(|| {
                    preferences()
                        .iter()
                        .find_map(|name| Self::by_name(name).ok())
                        .unwrap_or(Self::PORTABLE)
                })
            }

            fn name(self) -> &'static str {
                match self.0 {
                    Kind::Portable => "portable",
                    $(
                        #[cfg(target_arch = $architecture)]
                        Kind::$Kind(_) => $name,
                    )+
                }
            }
        }

        $(
            #[cfg(target_arch = $architecture)]
            impl From<$crate::cpu::$Token> for $Backend {
                #[inline]
                fn from(token: $crate::cpu::$Token) -> Self {
                    Self(Kind::$Kind(token))
                }
            }
        )+

        #[cfg(test)]
        mod backend_tests {
            use super::$Backend;
            use $crate::{Backend as _, Unavailable};

            #[test]
            fn every_name_is_known_and_kept() {
                for name in $Backend::NAMES {
                    match $Backend::by_name(name) {
                        Ok(backend) => assert_eq!(backend.name(), *name),
                        Err(Unavailable::Unknown { .. }) => panic!("{name} is listed, but unknown"),
                        Err(_) => {}
                    }
                }
                assert!(matches!($Backend::by_name("none"), Err(Unavailable::Unknown { .. })));
            }

            #[test]
            fn preferences_are_names_and_the_fastest_is_available() {
                for name in super::preferences() {
                    assert!($Backend::NAMES.contains(name), "{name}");
                }
                assert!($Backend::available().contains(&$Backend::fastest()));
            }
        }
    };
}
pub(crate) use backends;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_state_reason_and_remedy() {
        let other = Unavailable::OtherArchitecture { backend: "fast", architecture: "m68k" };
        assert!(other.to_string().contains("is for m68k"));
        assert!(other.to_string().contains("run a build for m68k"));
        let features = [("one", true), ("two", false), ("three", false)];
        let features = features.map(|(name, present)| Feature { name, present });
        let missing = Unavailable::without("fast", &features).to_string();
        assert!(missing.contains("backend fast needs one, two, three; "), "{missing}");
        assert!(missing.contains("does not offer two and three; choose another"), "{missing}");
        let unknown = Unavailable::Unknown { backend: "fats".into(), allowed: &["fast", "slow"] };
        assert!(unknown.to_string().contains("\"fats\""));
        assert!(unknown.to_string().contains("fast, slow"));
    }
}
