//! The shipped program, built together with the tests, so that they never kill an old one.

fn main() -> std::process::ExitCode {
    placet_server::main()
}
