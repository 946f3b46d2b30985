//! The interface against a real store: each route, each refusal, each limit.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod chat;
mod confidential;
mod deciding;
mod documented;
mod editing;
mod execution;
mod fixture;
mod limits;
mod measures;
mod policy;
mod proposing;
mod scopes;
mod secrecy;
mod serving;
mod stops;
mod streams;
mod tenants;
