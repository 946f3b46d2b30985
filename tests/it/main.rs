//! The conversations: Placet as people, agents and executors meet it.

mod approvers;
mod beside;
mod burst;
mod calendar;
mod crash;
mod crowd;
mod details;
mod hostile_card;
mod house;
mod kill;
mod main_path;
mod matrix;
mod never;
mod people;
mod policy;
mod policy_change;
mod policy_reload;
mod replay;
mod shadow;
mod slack;
mod slack_faults;
mod tenants;
mod typed;
mod waiting;
