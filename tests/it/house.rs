//! The rules of the house that a program can check.

use std::process::Command;

use anyhow::{Result, ensure};

/// House rule 1: the domain's dependency tree holds no crate that does I/O.
#[test]
fn the_domain_does_no_io() -> Result<()> {
    const BANNED: [&str; 12] = [
        "tokio",
        "axum",
        "hyper",
        "reqwest",
        "sqlx",
        "rusqlite",
        "libsqlite3-sys",
        "matrix-sdk",
        "mio",
        "socket2",
        "async-std",
        "rustls",
    ];
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "placet", "--edges", "normal", "--prefix", "none", "--offline"])
        .args(["--all-features", "--manifest-path", manifest])
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout)?;
    ensure!(tree.lines().count() > 20, "a tree was expected:\n{tree}");
    for line in tree.lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        ensure!(!BANNED.contains(&name), "the domain depends on {name}");
    }
    Ok(())
}
