//! The conversations: Placet as people, agents and executors meet it.

mod burst;
mod crash;
mod crowd;
mod details;
mod hostile_card;
mod house;
mod kill;
mod main_path;
mod never;
mod slack_faults;
mod waiting;
