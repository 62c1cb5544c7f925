//! Declares types whose values have names.

/// Declares an enum with `ALL` its values, and the name of each, which is the same in every output.
#[macro_export]
macro_rules! named {
    (
        $(#[$of_type:meta])*
        pub enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$of_type])*
        pub enum $type {
            $($(#[$of_value])* $value,)+
        }

        impl $type {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}
