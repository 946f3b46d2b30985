//! The signs with which Placet says what became of something: an agent's text does not get to use them.

/// Those signs, and those that look like them.
const OWN_SIGNS: [char; 17] =
    ['✅', '✔', '☑', '✓', '🗸', '❌', '❎', '⛔', '🚫', '⚠', '🛑', '🚨', '⌛', '⏳', '▶', '🔔', '✏'];

/// What an agent wrote, with the signs that Placet's own words begin with written as their codes: `⟨U+2705⟩`. Brackets
/// like these are escaped in any visible text, so that no text can look like another for it.
#[must_use]
pub fn unlike_placet(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if !OWN_SIGNS.contains(&character) {
            shown.push(character);
            continue;
        }
        let as_picture = characters.next_if_eq(&'\u{fe0f}').map_or("", |_| " U+FE0F");
        shown.push_str(&format!("⟨U+{:04X}{as_picture}⟩", u32::from(character)));
    }
    shown
}
