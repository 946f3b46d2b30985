//! Macros of the tests.
