//! The agents' HTTP interface.
