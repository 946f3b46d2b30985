//! Randomness from the operating system.

use placet::ports::Entropy;

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is the Entropy port's adapter: the one place for it")]
    #[expect(
        clippy::panic,
        reason = "without randomness no id is unique and no key secret: the process must not go on"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(fault) = getrandom::fill(bytes) {
            panic!("the operating system gave no random bytes: {fault}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fillings_differ() {
        let (mut one, mut other) = ([0_u8; 32], [0_u8; 32]);
        OsEntropy.fill(&mut one);
        OsEntropy.fill(&mut other);
        assert_ne!(one, other);
    }
}
