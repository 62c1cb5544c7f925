//! A library's functions, looked up at run time.

/// A table of functions: field, its symbols (the newest name first), arguments and result.
/// `Table::resolve` looks all of them up, and names the first that is not there.
///
/// Functions are copied out of the library, which is never unloaded.
macro_rules! symbols {
    ($(
        $(#[$documentation:meta])*
        $table:ident {
            $($field:ident: $($symbol:literal)|+ => ($($argument:tt)*) $(-> $result:ty)?;)+
        }
    )+) => {$(
        $(#[$documentation])*
        #[derive(Clone, Copy)]
        pub(super) struct $table {
            $(pub(super) $field: unsafe extern "C" fn($($argument)*) $(-> $result)?,)+
        }

        impl $table {
            pub(super) fn resolve(
                library: &$crate::runtime::Loaded,
            ) -> Result<Self, $crate::OpenError> {
                Ok(Self {$(
                    // SAFETY: the type is that of the library's header.
                    $field: unsafe { library.function(&[$($symbol),+]) }
                        .ok_or_else(|| library.lacks([$($symbol),+][0]))?,
                )+})
            }
        }
    )+};
}
pub(crate) use symbols;
