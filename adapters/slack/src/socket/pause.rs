//! How long to wait before the next attempt: longer each time, and never the same for two processes, so that those
//! that lost their connections together do not all come back in the same moment.

use placet::ports::Entropy;
use placet::time::Ttl;

/// The first pause. A connection that breaks off is mostly taken again at once.
const FIRST: Ttl = Ttl::from_secs(1);

/// The longest pause: when Slack is back, clicks arrive within a minute.
const LONGEST: Ttl = Ttl::from_secs(60);

/// The growing pause of one connection.
#[derive(Debug, Default)]
pub(super) struct Pause {
    failures: u32,
}

impl Pause {
    /// Things go well again.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// The next pause, and not less than Slack asks for.
    pub(super) fn next(&mut self, entropy: &dyn Entropy, asked: Option<Ttl>) -> Ttl {
        let whole = FIRST.as_millis().saturating_mul(1 << self.failures.min(10)).min(LONGEST.as_millis());
        self.failures = self.failures.saturating_add(1);
        let pause = jittered(whole, entropy);
        asked.map_or(pause, |asked| asked.max(pause))
    }

    /// The longest pause: for what only people can put right.
    pub(super) fn longest(&mut self, entropy: &dyn Entropy) -> Ttl {
        self.failures = self.failures.saturating_add(1);
        jittered(LONGEST.as_millis(), entropy)
    }
}

/// Between half of it and the whole.
fn jittered(whole_ms: u64, entropy: &dyn Entropy) -> Ttl {
    let mut random = [0; 2];
    entropy.fill(&mut random);
    let share = u64::from(u16::from_le_bytes(random));
    let half = whole_ms / 2;
    Ttl::from_millis(half + half * share / u64::from(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    /// R30: the pause doubles up to a minute, lies between half and whole, and begins again after a good connection.
    #[test]
    fn a_pause_grows_and_is_never_longer_than_a_minute() {
        let mut pause = Pause::default();
        let whole: Vec<u64> = (0..9).map(|_| pause.next(&Fixed(0xff), None).as_millis()).collect();
        assert_eq!(whole, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
        pause.reset();
        assert_eq!(pause.next(&Fixed(0), None), Ttl::from_millis(500));
        assert_eq!(pause.longest(&Fixed(0)), Ttl::from_secs(30));
        let mut worn = Pause { failures: u32::MAX };
        assert_eq!(worn.next(&Fixed(0xff), None), LONGEST);
    }

    /// R30: what Slack names is waited for, however short the pause would be.
    #[test]
    fn what_slack_asks_for_is_obeyed() {
        let mut pause = Pause::default();
        assert_eq!(pause.next(&Fixed(0), Some(Ttl::from_secs(90))), Ttl::from_secs(90));
        assert_eq!(pause.next(&Fixed(0xff), Some(Ttl::from_secs(1))), Ttl::from_secs(2));
    }
}
