//! Where requests are kept: SQLite, embedded.
