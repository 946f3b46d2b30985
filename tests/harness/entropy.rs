//! Seeded randomness: the same seed, the same ids.

use std::sync::{Arc, Mutex, PoisonError};

use placet::id::Entropy;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Random bytes from a seed.
#[derive(Debug)]
pub struct Seeded(Mutex<ChaCha8Rng>);

impl Seeded {
    /// From this seed.
    #[must_use]
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(ChaCha8Rng::seed_from_u64(seed))))
    }
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(bytes);
    }
}
