//! The command: simulates what scenario files tell, and says whether the service comes back.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main().into()
}
