//! A message before it is written: its blocks, and how they look in HTML and in plain text.
//!
//! What always holds: both forms have the same content in the same order, because both are written from the same blocks. In
//! plain text whatever an agent wrote stands behind a bar, so that no line of it can pass for a line of Placet's.

use super::html::{Html, Tag, disarmed};
use super::marked::Marked;

/// Opens each line of somebody's in plain text.
const BAR: &str = "│ ";

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// What will happen or has happened.
    Title(Marked),
    /// A label, and what is said under it.
    Line(String, Marked),
    /// A sentence.
    Said(Marked),
    /// A sentence that could change somebody's mind.
    Strong(Marked),
    /// Somebody's words under a label of Placet's.
    Words(String, String),
    /// An argument on one line.
    Argument(String, String),
    /// An argument of several lines.
    Lines(String, String),
    /// Lines in fixed width under a label of Placet's.
    Fixed(String, String),
    /// Lines in fixed width, without a label.
    Bare(String),
    /// What is good to know besides.
    Small(Marked),
}

/// A message in both forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// For clients that show no HTML, and for notifications.
    pub plain: String,
    /// For all others.
    pub html: Html,
}

/// The blocks of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sheet(pub(super) Vec<Block>);

impl Sheet {
    pub(super) fn push(&mut self, block: Block) {
        self.0.push(block);
    }

    pub(super) fn line(&mut self, label: impl Into<String>, said: impl Into<String>) {
        self.push(Block::Line(label.into(), Marked::of(said.into())));
    }

    pub(super) fn said(&mut self, said: impl Into<String>) {
        self.push(Block::Said(Marked::of(said.into())));
    }

    pub(super) fn extend(&mut self, blocks: impl IntoIterator<Item = Block>) {
        self.0.extend(blocks);
    }

    /// Both forms.
    pub(super) fn written(&self) -> Written {
        Written { plain: self.plain(), html: self.html() }
    }

    fn plain(&self) -> String {
        let mut page = String::new();
        let mut line = |text: &str| {
            page.push_str(&disarmed(text));
            page.push('\n');
        };
        for block in &self.0 {
            match block {
                Block::Title(said) | Block::Said(said) | Block::Strong(said) | Block::Small(said) => {
                    line(&said.plain());
                }
                Block::Line(label, said) => line(&format!("{label}: {}", said.plain())),
                Block::Words(label, text) | Block::Fixed(label, text) => {
                    line(&format!("{label}:"));
                    text.lines().for_each(|said| line(&format!("{BAR}{said}")));
                }
                Block::Bare(text) => text.lines().for_each(|said| line(&format!("{BAR}{said}"))),
                Block::Argument(name, value) => line(&format!("{BAR}{name}: {value}")),
                Block::Lines(name, text) => {
                    line(&format!("{BAR}{name}:"));
                    text.lines().for_each(|said| line(&format!("{BAR}{BAR}{said}")));
                }
            }
        }
        page.truncate(page.trim_end_matches('\n').len());
        page
    }

    fn html(&self) -> Html {
        let mut page = Html::new();
        let mut open = Open::default();
        for block in &self.0 {
            match block {
                Block::Line(label, said) => {
                    let mut line = Html::text(label).within(Tag::Strong);
                    line.push(Html::text(" "));
                    line.push(Html::sentence(said));
                    open.line(line, &mut page);
                }
                Block::Said(said) => open.line(Html::sentence(said), &mut page),
                Block::Strong(said) => open.line(Html::sentence(said).within(Tag::Strong), &mut page),
                Block::Small(said) => open.line(Html::sentence(said).within(Tag::Emphasis), &mut page),
                Block::Argument(name, value) => {
                    let mut item = Html::code(name);
                    item.push(Html::text(" "));
                    item.push(Html::code(value));
                    open.item(item, &mut page);
                }
                Block::Title(said) => {
                    open.close(&mut page);
                    page.push(Html::sentence(said).within(Tag::Heading));
                }
                Block::Words(label, text) => {
                    open.line(Html::text(label).within(Tag::Strong), &mut page);
                    open.close(&mut page);
                    page.push(quote(text));
                }
                Block::Lines(name, text) => {
                    open.item(Html::code(name), &mut page);
                    open.close(&mut page);
                    page.push(Html::lines(text));
                }
                Block::Bare(text) => {
                    open.close(&mut page);
                    page.push(Html::lines(text));
                }
                Block::Fixed(label, text) => {
                    open.line(Html::text(label).within(Tag::Strong), &mut page);
                    open.close(&mut page);
                    page.push(Html::lines(text));
                }
            }
        }
        open.close(&mut page);
        page
    }
}

/// Lines and items that are not closed yet.
#[derive(Default)]
struct Open {
    lines: Vec<Html>,
    items: Vec<Html>,
}

impl Open {
    fn line(&mut self, line: Html, page: &mut Html) {
        if !self.items.is_empty() {
            self.close(page);
        }
        self.lines.push(line);
    }

    fn item(&mut self, item: Html, page: &mut Html) {
        if !self.lines.is_empty() {
            self.close(page);
        }
        self.items.push(item);
    }

    fn close(&mut self, page: &mut Html) {
        if !self.lines.is_empty() {
            page.push(joined(std::mem::take(&mut self.lines)).within(Tag::Paragraph));
        }
        if !self.items.is_empty() {
            let mut list = Html::new();
            std::mem::take(&mut self.items).into_iter().for_each(|item| list.push(item.within(Tag::Item)));
            page.push(list.within(Tag::List));
        }
    }
}

/// Lines beneath each other.
fn joined(lines: Vec<Html>) -> Html {
    let mut all = Html::new();
    for (number, line) in lines.into_iter().enumerate() {
        if number > 0 {
            all.line_break();
        }
        all.push(line);
    }
    all
}

/// Somebody's words, set apart line by line.
fn quote(text: &str) -> Html {
    joined(text.lines().map(Html::foreign).collect()).within(Tag::Quote)
}
