# What cargo-cyclonedx says of the Rust packages, without the folder where it was said, and
# with what cargo does not know of: the shims, what they are compiled with, SQLite and a font.
def named($name; $version; $purl; $licence; $description):
  { type: "library", "bom-ref": $purl, name: $name, version: $version,
    description: $description, scope: "required", purl: $purl }
  + if $licence then { licenses: [{ expression: $licence }] } else {} end;

($headers | split("\n") | map(select(. != "") | split("\t"))
  | map(named(.[0]; .[1]; "pkg:deb/\($distribution)/\(.[0] | @uri)@\(.[1] | @uri)"; null;
      "headers that the shim for \(.[2]) is compiled with; the library itself is not within"))) as $libraries
| named("shims"; $version; "pkg:generic/cpb-shims@\($version)"; "MIT OR Apache-2.0";
    "cpb's own C and C++ for the libraries that it loads: \($shims)") as $ours
| named("sqlite"; $sqlite; "pkg:generic/sqlite@\($sqlite)"; "blessing";
    "the amalgamation in libsqlite3-sys") as $database
| (named("inter"; "4.1"; "pkg:npm/inter-ui@4.1.0"; "OFL-1.1";
    "a subset, for charts as PNG") + { type: "data" }) as $font
| (.components[] | select(.name == "libsqlite3-sys") | ."bom-ref") as $bindings
| (.components[] | select(.name == "cpb-shims") | ."bom-ref") as $carrier
| (.components[] | select(.name == "cpb-report") | ."bom-ref") as $charts
| .components += $libraries + [$ours, $database, $font]
| .dependencies |= map(
    if .ref == $bindings then .dependsOn += [$database."bom-ref"]
    elif .ref == $carrier then .dependsOn += [$ours."bom-ref"]
    elif .ref == $charts then .dependsOn += [$font."bom-ref"]
    else . end)
| .dependencies += [{ ref: $ours."bom-ref", dependsOn: [$libraries[]."bom-ref"] }]
    + [($libraries[], $database, $font) | { ref: ."bom-ref" }]
| walk(if type == "string" then sub("^path\\+file://\($root)/"; "path+cpb/") else . end)
