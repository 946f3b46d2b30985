//! Placet's own agent: a model's turn, its proposals, their results, and on.

pub mod event;
pub mod transcript;
