//! What docs/api.md says of the addresses, the codes and the events is what there is.

use std::collections::BTreeSet;

const API: &str = include_str!("../../../../docs/api.md");
const ROUTES: &str = include_str!("../../src/lib.rs");

/// Every method of every address has a heading of its own, and there is no other heading like it.
#[test]
fn every_address_is_documented() {
    let documented: BTreeSet<String> = API
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect();
    let mut routes = BTreeSet::new();
    for route in ROUTES.split(".route(\"").skip(1) {
        let (path, handlers) = route.split_once('"').unwrap();
        let handlers = handlers.split(".route(").next().unwrap().lines().next().unwrap();
        for method in ["get", "post", "put", "patch", "delete"] {
            if handlers.contains(&format!("{method}(")) {
                routes.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    assert!(routes.len() > 20, "{routes:?}");
    assert_eq!(documented, routes, "left: docs/api.md; right: src/lib.rs");
}

/// The table of errors names every code, with its status.
#[test]
fn every_code_is_documented() {
    let documented: BTreeSet<(u16, String)> = API
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let status = cells.next()?.parse().ok()?;
            Some((status, cells.next()?.trim_matches('`').to_owned()))
        })
        .collect();
    let codes = placet_http::Code::ALL.iter().map(|code| (code.status().as_u16(), code.name().to_owned()));
    assert_eq!(documented, codes.collect(), "left: docs/api.md; right: the codes");
}
