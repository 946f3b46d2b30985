//! Slack as a team lives in it: what people do there beside yes and no, in which language, what comes after a decision,
//! what the bot does, and how it all comes here.

mod accounts;
mod after;
mod alone;
mod answering;
mod asked_in;
mod asking;
mod bot;
mod commands;
mod confidential;
mod confirms;
mod digest;
mod direct;
mod doctor;
mod edit;
mod freeze;
mod gathered;
mod home;
mod language;
mod levels;
mod looking;
mod mentions;
mod plain;
mod sending;
mod settle;
mod socket;
mod sure;
mod telling;
mod threads;
mod veiled;
mod workspaces;
