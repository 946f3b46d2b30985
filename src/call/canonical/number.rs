//! Which numbers survive: the decimal that a caller wrote against the double that everybody will read.
//!
//! A JSON number is a decimal of any length; RFC 8785 writes the nearest IEEE 754 double in its shortest form. The two
//! are the same number for people when
//! - the magnitude is at most 2^53 − 1 (beyond it, different integers share a double), however it is spelt: `1e20` and
//!   `9007199254740993.0` are refused like the integer;
//! - what is not zero stays not zero, and what is not whole stays not whole;
//! - at most 17 significant digits were written, which is what printers of doubles write at most; more digits only if
//!   the shortest form has exactly the same value. Subnormal doubles hold fewer digits: there, always exactly.

use super::JSON_INTEGER_MAX;

/// Significant digits that tell any two doubles apart.
const SIGNIFICANT_DIGITS_MAX: usize = 17;

/// What is wrong with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberFault {
    TooLarge,
    Inexact,
}

/// A number that survives, as the canonical form has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Survivor {
    Whole(i64),
    Fraction(f64),
}

/// Judges the double alone.
pub(super) fn from_double(double: f64) -> Result<Survivor, NumberFault> {
    if !double.is_finite() || double.abs() > JSON_INTEGER_MAX as f64 {
        return Err(NumberFault::TooLarge);
    }
    if double.fract() == 0.0 {
        return Ok(Survivor::Whole(double as i64));
    }
    Ok(Survivor::Fraction(double))
}

/// Judges an integer.
pub(super) fn from_whole(whole: i64) -> Result<Survivor, NumberFault> {
    if whole.unsigned_abs() > JSON_INTEGER_MAX {
        Err(NumberFault::TooLarge)
    } else {
        Ok(Survivor::Whole(whole))
    }
}

/// Judges the double with the decimal that was written for it.
pub(super) fn from_literal(literal: &[u8], double: f64) -> Result<Survivor, NumberFault> {
    let survivor = from_double(double)?;
    let written = Decimal::parse(literal);
    let loose = written.digits.len() <= SIGNIFICANT_DIGITS_MAX && !double.is_subnormal();
    let survives = match survivor {
        Survivor::Whole(0) => written.digits.is_empty(),
        Survivor::Whole(_) => written.is_whole(),
        Survivor::Fraction(_) => true,
    };
    if survives && (loose || written == Decimal::parse(format!("{double:e}").as_bytes())) {
        Ok(survivor)
    } else {
        Err(NumberFault::Inexact)
    }
}

/// The value of a JSON number without its sign: 0.`digits` × 10^`exponent`, without zeros at either end.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a literal that a JSON parser accepted.
    fn parse(literal: &[u8]) -> Self {
        let mut digits = Vec::new();
        let mut exponent = 0_i64;
        let mut after_point = false;
        let mut bytes = literal.iter();
        while let Some(&byte) = bytes.next() {
            match byte {
                b'.' => after_point = true,
                b'e' | b'E' => {
                    exponent = exponent.saturating_add(written_exponent(bytes.as_slice()));
                    break;
                }
                b'0' if digits.is_empty() => exponent -= i64::from(after_point),
                b'0'..=b'9' => {
                    digits.push(byte);
                    exponent += i64::from(!after_point);
                }
                _ => {}
            }
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            exponent = 0;
        }
        Self { digits, exponent }
    }

    fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|count| self.exponent >= count)
    }
}

/// The exponent after `e`; beyond any double it is only known to be large.
fn written_exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let size = digits.iter().fold(0_i64, |size, digit| {
        size.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0')))
    });
    if negative { -size } else { size }
}

/// The number literals of a JSON text in order. Valid only as far as the text is JSON, which its reader checks.
pub(super) struct Literals<'r> {
    raw: &'r [u8],
    at: usize,
}

impl<'r> Literals<'r> {
    pub(super) fn of(raw: &'r [u8]) -> Self {
        Self { raw, at: 0 }
    }

    /// The text from where the search stands.
    fn rest(&self) -> &'r [u8] {
        self.raw.get(self.at..).unwrap_or_default()
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(&byte) = self.raw.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }
}

/// A literal and the offset of its end.
impl<'r> Iterator for Literals<'r> {
    type Item = (&'r [u8], usize);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(&byte) = self.raw.get(self.at) {
            match byte {
                b'"' => self.skip_string(),
                b'-' | b'0'..=b'9' => {
                    let literal = self.rest();
                    let length = literal.iter().take_while(|byte| b"+-.eE0123456789".contains(byte)).count();
                    self.at += length;
                    return Some((literal.get(..length).unwrap_or_default(), self.at));
                }
                _ => self.at += 1,
            }
        }
        None
    }
}
