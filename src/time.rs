//! Points in time and spans of time, and the clock that gives them.
//!
//! Time is an argument everywhere: nothing in the domain looks at the machine's clock.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use async_trait::async_trait;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds (as Unix time).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From whole seconds since the epoch.
    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    #[must_use]
    pub const fn as_secs(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Ttl {
        Ttl::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// From RFC 3339, with whatever offset; none if it is no time.
    #[must_use]
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(|at| Self(at.timestamp_millis()))
    }

    /// From the `Date` of an HTTP answer, such as `Mon, 30 Nov 2026 14:00:00 GMT`; none if it is no time.
    #[must_use]
    pub fn from_http_date(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc2822(text).ok().map(|at| Self(at.timestamp_millis()))
    }

    /// RFC 3339 in UTC with milliseconds and `Z`, as on the wire.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        DateTime::<Utc>::from_timestamp_millis(self.0)
            .map_or_else(|| format!("{}ms", self.0), |at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
    }

    /// `14:32 UTC`, for surfaces that cannot show the reader's own time zone.
    #[must_use]
    pub fn to_clock_utc(self) -> String {
        DateTime::<Utc>::from_timestamp_millis(self.0)
            .map_or_else(|| format!("{}ms", self.0), |at| at.format("%H:%M UTC").to_string())
    }

    /// `2026-11-30 14:32 UTC`.
    #[must_use]
    pub fn to_minute_utc(self) -> String {
        DateTime::<Utc>::from_timestamp_millis(self.0)
            .map_or_else(|| format!("{}ms", self.0), |at| at.format("%Y-%m-%d %H:%M UTC").to_string())
    }
}

impl Add<Ttl> for Timestamp {
    type Output = Self;
    fn add(self, span: Ttl) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Ttl> for Timestamp {
    type Output = Self;
    fn sub(self, span: Ttl) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

/// A span of time in milliseconds; written `500ms`, `25s`, `10m`, `2h` or `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ttl(u64);

/// Why a text is not a span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a span of time is a whole number and a unit: 500ms, 25s, 10m, 2h or 7d")]
pub struct TtlError;

impl Ttl {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// From seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// From minutes.
    #[must_use]
    pub const fn from_mins(mins: u64) -> Self {
        Self::from_secs(mins.saturating_mul(60))
    }

    /// In milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// As the standard library's duration.
    #[must_use]
    pub const fn as_duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}

impl FromStr for Ttl {
    type Err = TtlError;
    fn from_str(text: &str) -> Result<Self, TtlError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = text[..digits].parse().map_err(|_| TtlError)?;
        let unit = match &text[digits..] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(TtlError),
        };
        number.checked_mul(unit).map(Self).ok_or(TtlError)
    }
}

impl TryFrom<String> for Ttl {
    type Error = TtlError;
    fn try_from(text: String) -> Result<Self, TtlError> {
        text.parse()
    }
}

impl From<Ttl> for String {
    fn from(span: Ttl) -> Self {
        span.to_string()
    }
}

impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self.0 {
            0 => (0, "s"),
            ms if ms % 86_400_000 == 0 => (ms / 86_400_000, "d"),
            ms if ms % 3_600_000 == 0 => (ms / 3_600_000, "h"),
            ms if ms % 60_000 == 0 => (ms / 60_000, "m"),
            ms if ms % 1000 == 0 => (ms / 1000, "s"),
            ms => (ms, "ms"),
        };
        write!(f, "{number}{unit}")
    }
}

/// The clock: the machine's at work, one moved by hand in tests.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
    /// Returns when the clock has reached `at`; at once if it is already past.
    async fn sleep_until(&self, at: Timestamp);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_http_is_read() {
        let at = Timestamp::from_http_date("Mon, 30 Nov 2026 14:00:00 GMT").unwrap();
        assert_eq!(at.to_rfc3339(), "2026-11-30T14:00:00.000Z");
        assert_eq!(Timestamp::from_http_date("yesterday"), None);
    }

    #[test]
    fn spans_read_as_they_are_written() {
        for text in ["500ms", "25s", "10m", "2h", "7d"] {
            assert_eq!(text.parse::<Ttl>().unwrap().to_string(), text);
        }
        for text in ["", "10", "m", "-1s", "1.5h", "10 m", "99999999999999999999d", "9999999999999999d"] {
            assert!(text.parse::<Ttl>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_on_the_wire_end_in_z() {
        assert_eq!(Timestamp::from_millis(1_531_420_618_042).to_rfc3339(), "2018-07-12T18:36:58.042Z");
    }
}
