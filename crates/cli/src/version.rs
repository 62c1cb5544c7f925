//! Prints `cpb --version --verbose`: sources, compiler and shims of the build.

/// Returns one line per fact that bug reports and papers need.
pub(crate) fn verbose() -> String {
    let revision = option_env!("CPB_REVISION").unwrap_or("unknown");
    let compiler = option_env!("CPB_COMPILER").unwrap_or("unknown");
    let features = [
        ("png", cfg!(feature = "png")),
        ("postgres", cfg!(feature = "postgres")),
        ("serve", cfg!(feature = "serve")),
    ];
    let features = features.into_iter().filter_map(|(name, is_here)| is_here.then_some(name));
    let (within, without) = cpb_libraries::shims();
    let listed = |names: Vec<&str>| match names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    [
        format!("cpb {}", env!("CARGO_PKG_VERSION")),
        format!("revision: {revision}"),
        format!("compiler: {compiler}"),
        format!("target: {}, profile {}", env!("CPB_TARGET"), env!("CPB_PROFILE")),
        format!("features: {}", listed(features.collect())),
        format!("shims: {}", listed(within)),
        format!("without shims: {}", listed(without)),
    ]
    .join("\n")
        + "\n"
}
