//! A real homeserver for tests, and people on it at clients that others wrote.
//!
//! `tests/homeserver/run COMMAND…` starts one Synapse and runs the command beside it; what is here finds it by the
//! environment. All tests share it, each with accounts and rooms of its own: names are random, and nothing here looks
//! at what it has not made. A test that needs a homeserver to itself, for other settings, has one by
//! [`Homeserver::of_its_own`]; one that needs it to be away or to lose answers puts a [`Cut`] before it.
//!
//! - [`Homeserver`]: accounts, and what its administrator can do to them.
//! - [`Account`]: one account over the plain API, without encryption: rooms, state, and what a server could forge.
//! - [`Person`]: somebody at a real client, `matrix-nio` or `matrix-js-sdk`, with encryption.
//! - [`Cut`]: a wire to the homeserver that can be cut.

mod account;
mod api;
mod content;
mod cut;
mod homeserver;
mod people;
mod room;

pub use account::Account;
pub use api::{Api, Refused};
pub use content::Content;
pub use cut::{Cut, Fault};
pub use homeserver::Homeserver;
pub use people::{Client, Device, Person, Poll, PollAnswer, Reaction, Sight, Wanted};
pub use room::RoomMade;
