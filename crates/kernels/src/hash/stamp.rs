//! The public type of each hash function.

/// Stamps a hash type: its documentation, name, compression function, digest
/// length in bytes and initial value.
macro_rules! hash {
    (
        $(#[$meta:meta])*
        $Name:ident($Function:ty), $output_bytes:literal, $initial:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $Name($crate::hash::Stream<$Function>);

        impl $Name {
            /// A hash of the empty message so far, on [`Backend::fastest`].
            #[inline]
            pub fn new() -> Self {
                Self::with_backend(Backend::fastest())
            }

            /// A hash of the empty message so far, on the backend given.
            #[inline]
            pub fn with_backend(backend: Backend) -> Self {
                Self($crate::hash::Stream::new(backend, $initial, 0))
            }

            /// Appends to the message.
            #[inline]
            pub fn update(&mut self, message: &[u8]) {
                self.0.update(message);
            }

            /// The digest of everything appended.
            #[inline]
            pub fn finalize(self) -> [u8; $output_bytes] {
                <Self as $crate::hash::Hash>::output(&self.0.finish())
            }

            /// The digest of a message, on [`Backend::fastest`].
            #[inline]
            pub fn digest(message: &[u8]) -> [u8; $output_bytes] {
                Self::digest_with(Backend::fastest(), message)
            }

            /// The digest of a message, on the backend given.
            #[inline]
            pub fn digest_with(backend: Backend, message: &[u8]) -> [u8; $output_bytes] {
                let state = $crate::hash::chain::<$Function>(backend, $initial, 0, message);
                <Self as $crate::hash::Hash>::output(&state)
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::hash::sealed::Sealed for $Name {}

        impl $crate::hash::Hash for $Name {
            type Backend = Backend;
            type Output = [u8; $output_bytes];
            const BLOCK_BYTES: usize = size_of::<<$Function as $crate::hash::Compression>::Block>();
            const OUTPUT_BYTES: usize = $output_bytes;

            const BACKENDS: &'static [&'static str] = Backend::NAMES;

            fn backend(name: &str) -> Result<Backend, $crate::Unavailable> {
                Backend::by_name(name)
            }

            #[inline]
            fn fastest() -> Backend {
                Backend::fastest()
            }

            fn name(backend: Backend) -> &'static str {
                backend.name()
            }

            #[inline]
            fn hash(backend: Backend, message: &[u8]) -> [u8; $output_bytes] {
                Self::digest_with(backend, message)
            }

            type Function = $Function;
            const INITIAL: <$Function as $crate::hash::Compression>::State = $initial;
            const DIGEST_BLOCK: <$Function as $crate::hash::Compression>::DigestBlock =
                <<$Function as $crate::hash::Compression>::DigestBlock>::new($output_bytes);

            #[inline]
            fn output(
                state: &<$Function as $crate::hash::Compression>::State,
            ) -> [u8; $output_bytes] {
                let words = state.map(|word| word.to_be_bytes());
                let mut output = [0; $output_bytes];
                output.copy_from_slice(&words.as_flattened()[..$output_bytes]);
                output
            }
        }
    };
}
pub(crate) use hash;
