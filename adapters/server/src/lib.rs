//! Wires the adapters together: the library behind the placet binary.
