//! HTML as Matrix clients take it, and the only way to make it.
//!
//! What always holds: an [`Html`] is put together from escaped text and from tags of [`Tag`], which are of the
//! specification's list and have no attributes. So no text makes a tag, a link, a picture or a mention, whoever wrote it.
//! <https://spec.matrix.org/v1.16/client-server-api/#mroommessage-msgtypes>

use super::marked::{Marked, Piece};

/// HTML that is safe to send.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Html(String);

/// A tag, without attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// `h4`
    Heading,
    /// `p`
    Paragraph,
    /// `strong`
    Strong,
    /// `em`
    Emphasis,
    /// `code`
    Code,
    /// `pre`
    Preformatted,
    /// `blockquote`
    Quote,
    /// `ul`
    List,
    /// `li`
    Item,
}

impl Tag {
    const fn name(self) -> &'static str {
        match self {
            Self::Heading => "h4",
            Self::Paragraph => "p",
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Code => "code",
            Self::Preformatted => "pre",
            Self::Quote => "blockquote",
            Self::List => "ul",
            Self::Item => "li",
        }
    }
}

impl Html {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(String::new())
    }

    /// Text on a line; a space beside another stays one to be seen.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(escape(text, Spaces::Kept))
    }

    /// Text in fixed width, in which clients make no links.
    #[must_use]
    pub fn code(text: &str) -> Self {
        Self::text(text).within(Tag::Code)
    }

    /// Lines in fixed width.
    #[must_use]
    pub fn lines(text: &str) -> Self {
        Self(escape(text, Spaces::AsTheyAre)).within(Tag::Code).within(Tag::Preformatted)
    }

    /// A sentence of the catalogue: what is inserted in it stands in fixed width where a client could make a link of it.
    #[must_use]
    pub fn sentence(sentence: &Marked) -> Self {
        let mut html = Self::new();
        for piece in sentence.pieces() {
            html.push(match piece {
                Piece::Own(text) => Self::text(text),
                Piece::Inserted(text) => Self::foreign(text),
            });
        }
        html
    }

    /// Text that somebody else wrote.
    #[must_use]
    pub fn foreign(text: &str) -> Self {
        if may_become_a_link(text) { Self::code(text) } else { Self::text(text) }
    }

    /// This, with a tag around it.
    #[must_use]
    pub fn within(self, tag: Tag) -> Self {
        let name = tag.name();
        Self(format!("<{name}>{}</{name}>", self.0))
    }

    /// Puts this behind what is there.
    pub fn push(&mut self, more: Self) {
        self.0.push_str(&more.0);
    }

    /// A new line.
    pub fn line_break(&mut self) {
        self.0.push_str("<br>");
    }

    /// As it is sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it is sent.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Whether clients could take a part of it for an address, an account or a room: each of those has one of these signs, and
/// something behind it.
fn may_become_a_link(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let goes_on = characters.peek().is_some_and(|next| next.is_alphanumeric());
        if matches!(character, '@' | '#' | '/') || (matches!(character, '.' | ':') && goes_on) {
            return true;
        }
    }
    false
}

/// What `@room` looks like: clients that go by the text alone would call everybody. Brackets like these are escaped in any
/// visible text, so that no text can look like another for it.
#[must_use]
pub fn disarmed(text: &str) -> String {
    /// The word that calls everybody, without its sign.
    const ROOM: &str = "room";
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        shown.push_str(before);
        let calls = after.get(..ROOM.len()).is_some_and(|word| word.eq_ignore_ascii_case(ROOM));
        shown.push_str(if calls { "⟨U+0040⟩" } else { "@" });
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// Whether a run of spaces is written so that it is seen where HTML would make one of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spaces {
    Kept,
    AsTheyAre,
}

fn escape(text: &str, spaces: Spaces) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    let mut after_space = false;
    for character in disarmed(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            ' ' if after_space && spaces == Spaces::Kept => escaped.push_str("&nbsp;"),
            other => escaped.push(other),
        }
        after_space = character == ' ';
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R28: what has a meaning in HTML is text, and what calls everybody calls nobody.
    #[test]
    fn text_stays_text() {
        let evil = "<b>&amp;\"'</b> @room x  y @Room, @roommate a@b";
        assert_eq!(
            Html::text(evil).as_str(),
            "&lt;b&gt;&amp;amp;&quot;&#39;&lt;/b&gt; ⟨U+0040⟩room x &nbsp;y ⟨U+0040⟩Room, ⟨U+0040⟩roommate a@b"
        );
    }

    #[test]
    fn what_could_become_a_link_stands_in_fixed_width() {
        for (text, html) in [
            ("Bo", "Bo"),
            ("It is old: nobody opens it.", "It is old: nobody opens it."),
            ("https://a", "<code>https://a</code>"),
            ("@bo:example.org", "<code>@bo:example.org</code>"),
            ("example.org", "<code>example.org</code>"),
        ] {
            assert_eq!(Html::foreign(text).as_str(), html);
        }
    }
}
