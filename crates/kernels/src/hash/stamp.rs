//! Generates the public type of each hash function.

/// Generates the rest of an implementation of [`Hash`](crate::hash::Hash) by calling
/// functions that the type has. `Backend` is in the caller's scope.
macro_rules! hash_by_its_functions {
    ($output_bytes:expr) => {
        type Backend = Backend;
        type Output = [u8; $output_bytes];
        const OUTPUT_BYTES: usize = $output_bytes;

        #[inline]
        fn hash(backend: Backend, message: &[u8]) -> Self::Output {
            Self::digest_with(backend, message)
        }

        #[inline]
        fn with_backend(backend: Backend) -> Self {
            Self::with_backend(backend)
        }

        #[inline]
        fn update(&mut self, message: &[u8]) {
            self.update(message);
        }

        #[inline]
        fn finalize(self) -> Self::Output {
            self.finalize()
        }
    };
}
pub(crate) use hash_by_its_functions;

/// Generates a hash type from its documentation, type, compression function,
/// canonical name, digest length in bytes and initial hash value.
macro_rules! hash {
    (
        $(#[$meta:meta])*
        $Name:ident($Function:ty), $name:literal, $output_bytes:literal, $initial:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $Name($crate::hash::Stream<$Function>);

        impl $Name {
            /// Starts the hash of an empty message on [`Backend::fastest`](crate::Backend::fastest).
            #[inline]
            pub fn new() -> Self {
                Self::with_backend(<Backend as $crate::Backend>::fastest())
            }

            /// Starts the hash of an empty message on the given backend.
            #[inline]
            pub fn with_backend(backend: Backend) -> Self {
                Self($crate::hash::Stream::new(backend, $initial, 0))
            }

            /// Appends to the message.
            #[inline]
            pub fn update(&mut self, message: &[u8]) {
                self.0.update(message);
            }

            /// Returns the digest of everything appended.
            #[inline]
            pub fn finalize(self) -> [u8; $output_bytes] {
                <Self as $crate::hash::IteratedHash>::output(&self.0.finish())
            }

            /// Returns the digest of a message, on [`Backend::fastest`](crate::Backend::fastest).
            #[inline]
            pub fn digest(message: &[u8]) -> [u8; $output_bytes] {
                Self::digest_with(<Backend as $crate::Backend>::fastest(), message)
            }

            /// Returns the digest of a message, on the given backend.
            #[inline]
            pub fn digest_with(backend: Backend, message: &[u8]) -> [u8; $output_bytes] {
                let state = $crate::hash::chain::<$Function>(backend, $initial, 0, message);
                <Self as $crate::hash::IteratedHash>::output(&state)
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::hash::sealed::Sealed for $Name {}

        impl $crate::hash::Hash for $Name {
            const NAME: &'static str = $name;
            const BLOCK_BYTES: usize = size_of::<<$Function as $crate::hash::Compression>::Block>();
            $crate::hash::hash_by_its_functions! { $output_bytes }
        }

        impl $crate::hash::IteratedHash for $Name {
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
