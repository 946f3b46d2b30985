//! What was typed behind the word that every command begins with: a pure function from the text to what is asked, or to a
//! mistake that helps.

mod values;

use crate::command::{
    Asked, Deed, Dialect, Filters, Key, Lift, Means, Mistake, Named, Place, Scope, Target, Verb,
};
use crate::id::{RequestId, ShortCode};
use crate::policy::nearest;
use crate::ports::audit::AUDIT_WORDS_MAX;
use crate::time::Ttl;

use values::{form, in_two, is_surely_a_code, key_and_value, look_back, outcome, request, since};

/// The most UTF-16 units of a question, in which surfaces count: it travels in the buttons that turn its pages.
pub const COMMAND_UNITS_MAX: usize = 1_000;

/// The most UTF-16 units of what is done to a request: the arguments of an edit are as long as a message can be.
pub const DEED_UNITS_MAX: usize = 20_000;

/// How far a digest looks back where nothing is said.
const DIGEST_SPAN: Ttl = Ttl::from_mins(24 * 60);

/// The most characters of what was typed that a mistake repeats.
pub(super) const REPEATED_CHARS_MAX: usize = 40;

/// The request whose card a command answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyCard {
    /// Which, as the surface has it on record.
    pub request: RequestId,
    /// What people call it.
    pub code: ShortCode,
}

/// A command as it was typed where pages are turned by words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// What is asked.
    pub asked: Asked,
    /// Without what turns its pages.
    pub text: String,
    /// From where on.
    pub place: Place,
}

/// Reads what was typed, where nothing but words turns pages and names the card that is answered.
///
/// # Errors
/// What is wrong with it.
pub fn typed(text: &str, card: Option<&ReplyCard>, dialect: &dyn Dialect) -> Result<Typed, Mistake> {
    let (text, place) = paged(text);
    let reading = Reading { text, card, dialect };
    let asked = match (reading.read(), card) {
        // Behind an answer to a card the request need not be said again.
        (Err(Mistake::WhichRequest { .. }), Some(card)) => {
            let verb = text.split_whitespace().next().unwrap_or_default();
            let whole = format!("{verb} {} {}", card.request, after(text, 1));
            Reading { text: &whole, card: Some(card), dialect }.read()?
        }
        (read, _) => read?,
    };
    // What turns pages repeats it: no longer than it needs to be.
    let text = match &asked {
        Asked::Show(named) => format!("{} {named}", Verb::Show.name()),
        Asked::Why(named) => format!("{} {named}", Verb::Why.name()),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    Ok(Typed { asked, text, place })
}

/// A command, and which page of its answer is typed behind it.
fn paged(text: &str) -> (&str, Place) {
    let first = text.split_whitespace().next().map(str::to_lowercase);
    let verb = Verb::ALL.into_iter().find(|verb| first.as_deref() == Some(verb.name()));
    let trimmed = text.trim_end();
    let last = trimmed.rsplit(char::is_whitespace).next().unwrap_or_default();
    match Place::of_word(last) {
        Some(place) if verb.is_some_and(Verb::has_pages) => {
            let rest = trimmed.get(..trimmed.len() - last.len()).unwrap_or_default();
            (rest.trim_end(), place)
        }
        _ => (text, Place::First),
    }
}

/// Reads what was typed.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str, dialect: &dyn Dialect) -> Result<Asked, Mistake> {
    Reading { text, card: None, dialect }.read()
}

/// What is being read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    text: &'a str,
    card: Option<&'a ReplyCard>,
    dialect: &'a dyn Dialect,
}

/// What stands behind so many words.
fn after(text: &str, words: usize) -> &str {
    let mut rest = text.trim_start();
    for _ in 0..words {
        rest =
            rest.find(char::is_whitespace).map_or("", |at| rest.get(at..).unwrap_or_default().trim_start());
    }
    rest.trim_end()
}

impl Reading<'_> {
    fn read(self) -> Result<Asked, Mistake> {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let units = self.text.encode_utf16().count();
        let Some((first, rest)) = words.split_first() else { return Ok(Asked::Help) };
        if units > DEED_UNITS_MAX {
            return Err(Mistake::TooLong);
        }
        let verb = match self.verb(first) {
            Err(_) if units > COMMAND_UNITS_MAX => return Err(Mistake::TooLong),
            verb => verb?,
        };
        if let Some(deed) = verb.deed() {
            return self.deed(deed, rest);
        }
        if units > COMMAND_UNITS_MAX {
            return Err(Mistake::TooLong);
        }
        match verb {
            Verb::Whoami => self.alone(verb, rest, Asked::Whoami),
            Verb::Pending => self.alone(verb, rest, Asked::Pending),
            Verb::Remembered => self.alone(verb, rest, Asked::Remembered),
            Verb::Stops => self.alone(verb, rest, Asked::Stops),
            Verb::Show => self
                .named(verb, rest)
                .and_then(|(request, rest)| self.alone(verb, rest, Asked::Show(request))),
            Verb::Why => {
                self.named(verb, rest).and_then(|(request, rest)| self.alone(verb, rest, Asked::Why(request)))
            }
            Verb::Forget => self
                .named(verb, rest)
                .and_then(|(request, rest)| self.alone(verb, rest, Asked::Forget(request))),
            Verb::Revoke => {
                let (request, rest) = self.named(verb, rest)?;
                Ok(Asked::Revoke { request, reason: self.reason(verb, rest)? })
            }
            Verb::Settle => self.settle(rest),
            Verb::Freeze => self.freeze(rest),
            Verb::Lift => self.lift(rest),
            Verb::Digest => self.digest(rest),
            Verb::Audit => self.audit(rest),
            // What is done to a card was read before.
            _ => Ok(Asked::Help),
        }
    }

    /// What is meant, of what the surface takes words for.
    fn verb(self, word: &str) -> Result<Verb, Mistake> {
        let typed = word.to_lowercase();
        let offered = Verb::offered(self.dialect.means());
        let named = |verbs: &[Verb]| verbs.iter().copied().find(|verb| verb.name() == typed);
        if let Some(verb) = named(offered) {
            return Ok(verb);
        }
        if let Some(verb) = named(&Verb::ALL) {
            return Err(Mistake::ByButton(verb));
        }
        let near = nearest(&typed, offered.iter().map(|verb| verb.name()));
        let near = near.and_then(|near| offered.iter().copied().find(|verb| verb.name() == near));
        Err(Mistake::NoSuchVerb { typed: self.repeated(word), nearest: near })
    }

    /// A verb that takes nothing more.
    fn alone(self, verb: Verb, rest: &[&str], asked: Asked) -> Result<Asked, Mistake> {
        match rest.first() {
            None => Ok(asked),
            Some(more) => Err(Mistake::NotTaken { verb, typed: self.repeated(more) }),
        }
    }

    /// The request that comes first, and what follows it.
    fn named<'r, 'w>(self, verb: Verb, words: &'r [&'w str]) -> Result<(Named, &'r [&'w str]), Mistake> {
        let which = |typed: &str| Mistake::WhichRequest { verb, typed: self.repeated(typed) };
        let Some((first, rest)) = words.split_first() else { return Err(which("")) };
        if let Some(named) = request(first) {
            return Ok((named, rest));
        }
        match in_two(words) {
            Some(code) => Ok((Named::Code(code), words.get(2..).unwrap_or_default())),
            None => Err(which(first)),
        }
    }

    /// What is done to a request, which is named or whose card is answered.
    fn deed(self, deed: Deed, words: &[&str]) -> Result<Asked, Mistake> {
        let verb = deed.verb();
        let (target, behind) = self.target(verb, words)?;
        // A number behind the request can only be a question's.
        let numbered = words.get(behind).and_then(|word| word.strip_prefix('#')?.parse::<u32>().ok());
        let question = numbered.filter(|_| deed == Deed::Answer);
        let rest = after(self.text, 1 + behind + usize::from(question.is_some()));
        let words = (!rest.is_empty()).then(|| self.dialect.plain(rest));
        if !matches!(target, Target::Perhaps { .. }) {
            if words.is_none() && deed.needs_words() {
                return Err(Mistake::Missing(verb));
            }
            if words.is_some() && !deed.takes_words() {
                return Err(Mistake::NotTaken { verb, typed: self.repeated(rest) });
            }
        }
        Ok(Asked::Do { deed, target, question, words })
    }

    /// To which request, and behind how many words what else is said begins.
    fn target(self, verb: Verb, words: &[&str]) -> Result<(Target, usize), Mistake> {
        let first = words.first().copied().unwrap_or_default();
        let card = self.card.map(|card| (Named::Id(card.request), card.code.clone()));
        let another = |own: &ReplyCard, named: &Named| Mistake::Another {
            verb,
            card: own.code.clone(),
            named: named.to_string(),
        };
        match request(first) {
            Some(Named::Code(code)) if !is_surely_a_code(first) => {
                let rest = Some(after(self.text, 2)).filter(|rest| !rest.is_empty());
                let rest = rest.map(|rest| self.dialect.plain(rest));
                return Ok((Target::Perhaps { code, rest, card }, 0));
            }
            Some(named) => {
                let is_own = |own: &ReplyCard| match &named {
                    Named::Id(id) => *id == own.request,
                    Named::Code(code) => *code == own.code,
                };
                return match self.card {
                    Some(own) if !is_own(own) => Err(another(own, &named)),
                    Some(own) => Ok((Target::Card(Named::Id(own.request)), 1)),
                    None => Ok((Target::Named(named), 1)),
                };
            }
            None => {}
        }
        if let Some(code) = in_two(words) {
            let rest = Some(after(self.text, 3)).filter(|rest| !rest.is_empty());
            let rest = rest.map(|rest| self.dialect.plain(rest));
            return Ok((Target::Perhaps { code, rest, card }, 0));
        }
        match card {
            Some((named, _)) => Ok((Target::Card(named), 0)),
            None => Err(Mistake::WhichRequest { verb, typed: self.repeated(first) }),
        }
    }

    /// A reason; where no dialog asks for one it must be there.
    fn reason(self, verb: Verb, words: &[&str]) -> Result<Option<String>, Mistake> {
        match self.said(words) {
            None if self.dialect.means() == Means::Words => Err(Mistake::Missing(verb)),
            said => Ok(said),
        }
    }

    /// Free text; none where there is none.
    fn said(self, words: &[&str]) -> Option<String> {
        (!words.is_empty()).then(|| self.dialect.plain(&words.join(" ")))
    }

    fn settle(self, words: &[&str]) -> Result<Asked, Mistake> {
        let (request, rest) = self.named(Verb::Settle, words)?;
        let Some((how, reason)) = rest.split_first() else {
            let reason = self.reason(Verb::Settle, rest)?;
            return Ok(Asked::Settle { request, outcome: None, reason });
        };
        match outcome(&how.to_lowercase()) {
            Some(outcome) => {
                let reason = self.reason(Verb::Settle, reason)?;
                Ok(Asked::Settle { request, outcome: Some(outcome), reason })
            }
            None => Err(Mistake::NotTaken { verb: Verb::Settle, typed: self.repeated(how) }),
        }
    }

    fn freeze(self, words: &[&str]) -> Result<Asked, Mistake> {
        let Some((first, rest)) = words.split_first() else {
            return match self.dialect.means() {
                Means::Buttons => Ok(Asked::Freeze { scope: None, reason: None }),
                Means::Words => Err(Mistake::Missing(Verb::Freeze)),
            };
        };
        let Some(scope) = self.scope(first) else {
            return Err(Mistake::NotTaken { verb: Verb::Freeze, typed: self.repeated(first) });
        };
        // What is refused in any case needs no reason.
        let reason = match scope {
            Scope::Everything => self.said(rest),
            _ => self.reason(Verb::Freeze, rest)?,
        };
        Ok(Asked::Freeze { scope: Some(scope), reason })
    }

    fn lift(self, words: &[&str]) -> Result<Asked, Mistake> {
        let Some((first, rest)) = words.split_first() else { return Err(Mistake::Missing(Verb::Lift)) };
        let id = first
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_ascii_lowercase()
            .parse()
            .ok()
            .map(Lift::Id);
        let Some(lift) = id.or_else(|| self.scope(first).map(Lift::Scope)) else {
            return Err(Mistake::NotTaken { verb: Verb::Lift, typed: self.repeated(first) });
        };
        self.alone(Verb::Lift, rest, Asked::Lift(lift))
    }

    /// Which calls.
    fn scope(self, word: &str) -> Option<Scope> {
        match key_and_value(word) {
            Some((key, name)) if key == "tool" && !name.is_empty() => {
                Some(Scope::Tool(self.dialect.plain(name)))
            }
            Some((key, name)) if key == "agent" && !name.is_empty() => {
                Some(Scope::Agent(self.dialect.plain(name)))
            }
            None if word.eq_ignore_ascii_case("tenant") => Some(Scope::Tenant),
            None if ["everything", "all"].iter().any(|it| word.eq_ignore_ascii_case(it)) => {
                Some(Scope::Everything)
            }
            _ => None,
        }
    }

    fn digest(self, words: &[&str]) -> Result<Asked, Mistake> {
        match words {
            [] => Ok(Asked::Digest(DIGEST_SPAN)),
            [span] => match look_back(span) {
                Some(span) => Ok(Asked::Digest(span)),
                None => Err(Mistake::NotTaken { verb: Verb::Digest, typed: self.repeated(span) }),
            },
            [_, more, ..] => Err(Mistake::NotTaken { verb: Verb::Digest, typed: self.repeated(more) }),
        }
    }

    fn audit(self, words: &[&str]) -> Result<Asked, Mistake> {
        let (mut filters, mut export) = (Filters::default(), None);
        let mut seen: Vec<Key> = Vec::new();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let (key, value) = match key_and_value(word) {
                // A mention by itself can only mean the person.
                _ if self.dialect.is_mention(word) => (Key::Who, word),
                None => {
                    filters.words.push(self.dialect.plain(word));
                    continue;
                }
                Some((typed, value)) => {
                    let Some(key) = Key::ALL.into_iter().find(|key| key.name() == typed) else {
                        let near = nearest(&typed, Key::ALL.iter().map(|key| key.name()));
                        let near = near.and_then(|near| Key::ALL.into_iter().find(|key| key.name() == near));
                        return Err(Mistake::NoSuchKey { typed: self.repeated(&typed), nearest: near });
                    };
                    // Some surfaces offer people only behind a space.
                    let mention = words
                        .next_if(|next| key == Key::Who && value.is_empty() && self.dialect.is_mention(next));
                    (key, mention.unwrap_or(value))
                }
            };
            if seen.contains(&key) {
                return Err(Mistake::Twice(key));
            }
            seen.push(key);
            let taken = match key {
                Key::Export => form(value).map(|form| export = Some(form)),
                key => self.filter(&mut filters, key, value),
            };
            if taken.is_none() {
                return Err(Mistake::BadValue { key, typed: self.repeated(value) });
            }
        }
        if filters.words.len() > AUDIT_WORDS_MAX {
            return Err(Mistake::TooLong);
        }
        Ok(Asked::Audit { filters, export })
    }

    /// Takes a value; none if it is none of the key's.
    fn filter(self, filters: &mut Filters, key: Key, value: &str) -> Option<()> {
        if value.is_empty() {
            return None;
        }
        match key {
            Key::Who => {
                filters.who = self.dialect.accounts(value);
                return (!filters.who.is_empty()).then_some(());
            }
            Key::Tool => filters.tool = Some(self.dialect.plain(value)),
            Key::Tenant => filters.tenant = Some(self.dialect.plain(value)),
            Key::Since => filters.since = Some(since(value)?),
            Key::State => {
                for name in value.split(',') {
                    filters.state(&name.to_lowercase())?;
                }
            }
            Key::Export => return None,
        }
        Some(())
    }

    /// The beginning of what was typed, as it is repeated in an answer.
    fn repeated(self, word: &str) -> String {
        self.dialect.plain(word).chars().take(REPEATED_CHARS_MAX).collect()
    }
}

#[cfg(test)]
mod tests;
