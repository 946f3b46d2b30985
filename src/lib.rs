//! Placet: the domain.
