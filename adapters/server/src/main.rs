//! The program; everything it does is in the library of the same name.

fn main() -> std::process::ExitCode {
    placet_server::main()
}
