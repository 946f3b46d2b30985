//! Making text of unknown origin safe to look at: what cannot be seen becomes visible, what pretends is marked.
//!
//! Everything that an agent supplied goes through [`visible`] or [`visible_line`] before any card or log line, after
//! redaction and before the markup of a surface (Slack's `&<>`), which is the surface's own concern.
//!
//! - Characters that do not show (controls, format characters, fillers, tags, odd variation selectors, unusual spaces,
//!   private use, unassigned) become `⟨U+200B⟩`; a run of the same one `⟨U+200B ×40⟩`.
//! - More than four combining marks on one character become `⟨17 combining marks⟩`.
//! - Words that mix scripts to look like something else are framed: `⟦раypal⟧` (UTS 39).
//! - `⟨ ⟩ ⟦ ⟧` in the input become escapes themselves, so that no text can fake an escape or a frame.
//!
//! Plain text of any living script stays as it is, byte for byte, emoji included. Right-to-left letters keep their
//! natural order, which a surface isolates if it can.
//!
//! Sources: UTS 39 (Unicode security mechanisms), UAX 9 (bidirectional controls), UAX 31 and RFC 5892 appendix A.1
//! and A.2 (joiners), UTS 51 (emoji), `DerivedCoreProperties.txt` (default ignorable code points).

mod cut;
mod hidden;
mod script;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

use serde::{Deserialize, Deserializer, Serialize, de};

pub use self::cut::{Cut, cut_end, cut_middle, shorten_middle};
use self::hidden::Fate;

/// Opens and closes an escape.
const ESCAPE: (char, char) = ('⟨', '⟩');
/// Opens and closes a frame around a suspicious word.
const FRAME: (char, char) = ('⟦', '⟧');
/// What a newline and a tab look like on one line.
const LINE_SIGNS: [(char, char); 2] = [('\n', '⏎'), ('\t', '⇥')];

/// Text that is safe to look at. It can be made only in this module; reading a stored one refuses
/// every character that never shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Visible {
    text: String,
    warnings: Warnings,
}

impl Visible {
    /// The text, with escapes and frames.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What had to be made visible.
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// The text alone.
    pub fn into_string(self) -> String {
        self.text
    }

    /// [`cut_middle`], with the number of characters left out. The warnings stay those of the whole text.
    #[must_use]
    pub fn cut_middle(&self, max_chars: usize) -> (Self, usize) {
        self.with(cut_middle(&self.text, max_chars))
    }

    /// [`cut_end`], with the number of characters left out. The warnings stay those of the whole text.
    #[must_use]
    pub fn cut_end(&self, max_chars: usize) -> (Self, usize) {
        self.with(cut_end(&self.text, max_chars))
    }

    fn with(&self, cut: Cut) -> (Self, usize) {
        (Self { text: cut.text, warnings: self.warnings }, cut.left_out)
    }
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl AsRef<str> for Visible {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl<'de> Deserialize<'de> for Visible {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Stored {
            text: String,
            warnings: Warnings,
        }
        let Stored { text, warnings } = Stored::deserialize(deserializer)?;
        if let Some(char) = text.chars().find(|char| !hidden::may_stand(*char)) {
            let code = u32::from(char);
            return Err(de::Error::custom(format_args!(
                "U+{code:04X} stands in a text that was made visible"
            )));
        }
        Ok(Self { text, warnings })
    }
}

/// How often something had to be made visible; each is a line of warning on a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Warnings {
    /// Characters that do not show, or have no agreed meaning. `\r` before `\n` is escaped and not counted.
    pub invisible: u32,
    /// Bidirectional controls, which show text in another order than it runs.
    pub bidi: u32,
    /// Words or signs that mix scripts to look like something else.
    pub mixed_script: u32,
    /// Heaps of combining marks, and marks that have no character to stand on.
    pub combining: u32,
}

impl Warnings {
    /// How many there are of all kinds.
    #[must_use]
    pub const fn total(self) -> u32 {
        let shown = self.invisible.saturating_add(self.bidi);
        shown.saturating_add(self.mixed_script).saturating_add(self.combining)
    }

    /// The sums of both.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            invisible: self.invisible.saturating_add(other.invisible),
            bidi: self.bidi.saturating_add(other.bidi),
            mixed_script: self.mixed_script.saturating_add(other.mixed_script),
            combining: self.combining.saturating_add(other.combining),
        }
    }

    /// Is there anything to warn about?
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// Makes a block of text safe to look at; `\n` and `\t` stay.
pub fn visible(text: &str) -> Visible {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Visible { text: text.to_owned(), warnings: Warnings::default() };
    }
    let chars: Vec<char> = text.chars().collect();
    let fates = hidden::fates(&chars);
    let stays: Vec<bool> = fates.iter().map(|fate| *fate == Fate::Stays).collect();
    let frames = script::suspicious(&chars, &stays);

    let mut out = Visible { text: String::with_capacity(text.len() * 2), warnings: Warnings::default() };
    out.warnings.mixed_script = count(frames.len());
    let mut frames = frames.into_iter().peekable();
    let mut at = 0;
    while let (Some(&char), Some(&fate)) = (chars.get(at), fates.get(at)) {
        if frames.peek().is_some_and(|frame| frame.start == at) {
            out.text.push(FRAME.0);
        }
        at = if fate == Fate::Stays {
            out.text.push(char);
            at + 1
        } else {
            let rest = chars.get(at..).unwrap_or_default().iter().zip(fates.get(at..).unwrap_or_default());
            let run = rest.take_while(|(c, f)| **f == fate && (fate == Fate::Heaped || **c == char)).count();
            out.escape(char, fate, run);
            at + run
        };
        if frames.next_if(|frame| frame.end == at).is_some() {
            out.text.push(FRAME.1);
        }
    }
    out
}

/// Makes text safe to look at on one line: newlines become `⏎`, tabs `⇥`, and these two signs escapes.
pub fn visible_line(text: &str) -> Visible {
    let mut out = visible(text);
    if out.text.contains(['\n', '\t', '⏎', '⇥']) {
        let mut line = String::with_capacity(out.text.len());
        for char in out.text.chars() {
            match LINE_SIGNS.iter().find(|(control, sign)| char == *control || char == *sign) {
                Some((control, sign)) if char == *control => line.push(*sign),
                Some(_) => write_code(&mut line, char, 1),
                None => line.push(char),
            }
        }
        out.text = line;
    }
    out
}

impl Visible {
    /// Writes one escape for a run of characters with the same fate.
    fn escape(&mut self, char: char, fate: Fate, run: usize) {
        let warnings = &mut self.warnings;
        match fate {
            Fate::Stays | Fate::Bracket | Fate::LineEnd => {}
            Fate::Invisible => warnings.invisible = warnings.invisible.saturating_add(count(run)),
            Fate::Bidirectional => warnings.bidi = warnings.bidi.saturating_add(count(run)),
            Fate::Baseless => warnings.combining = warnings.combining.saturating_add(count(run)),
            Fate::Heaped => warnings.combining = warnings.combining.saturating_add(1),
        }
        if fate == Fate::Heaped {
            let noun = if run == 1 { "mark" } else { "marks" };
            // Writing to a String cannot fail.
            let _ = write!(self.text, "{}{run} combining {noun}{}", ESCAPE.0, ESCAPE.1);
        } else {
            write_code(&mut self.text, char, run);
        }
    }
}

/// `⟨U+200B⟩`, twice for two, and `⟨U+200B ×3⟩` for more.
fn write_code(out: &mut String, char: char, run: usize) {
    let (open, close) = ESCAPE;
    let code = u32::from(char);
    if run > 2 {
        let _ = write!(out, "{open}U+{code:04X} ×{run}{close}");
    } else {
        for _ in 0..run {
            let _ = write!(out, "{open}U+{code:04X}{close}");
        }
    }
}

/// Does this character not show, or have no agreed meaning? The redaction looks through such characters.
pub(super) fn is_hidden(char: char) -> bool {
    hidden::is_hidden(char)
}

fn is_bracket(char: char) -> bool {
    [ESCAPE.0, ESCAPE.1, FRAME.0, FRAME.1].contains(&char)
}

fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
