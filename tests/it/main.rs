//! The conversations: Placet as people, agents and executors meet it.

mod crowd;
mod kill;
mod main_path;
mod never;
