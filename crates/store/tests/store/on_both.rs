//! Runs the same tests with a store in a file and, where PostgreSQL is installed, in a database.

macro_rules! on_both {
    ($($file:ident { $($test:ident,)* })*) => {
        mod in_a_file {$($(
            #[test]
            fn $test() {
                let folder = tempfile::TempDir::new().expect("a folder of our own");
                crate::$file::$test(&folder.path().join("a/b/runs.sqlite").into());
            }
        )*)*}

        mod in_a_database {$($(
            #[test]
            fn $test() {
                let Some(server) = crate::server::shared() else { return };
                let place = cpb_store::StoreLocation::parse(server.database().as_ref());
                crate::$file::$test(&place.expect("an address"));
            }
        )*)*}
    };
}
pub(crate) use on_both;
