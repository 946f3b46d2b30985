//! The call as people see it: what a yes is about.

use serde::Serialize;
use serde_json::Value;

use super::diff::{self, DiffLineKind};
use super::elsewhere::{self, ElsewhereView};
use super::{Eye, Redactor, Visible, Warnings, visible, visible_line};
use crate::approval::{Approval, Before, Edited, Evidence};
use crate::call::CallDigest;
use crate::id::Role;
use crate::inbound::Located;
use crate::policy::{Figure, FigureName, Level, RememberOffer, RuleHit, RuleKind, Tier, Verdict};
use crate::time::{Timestamp, Ttl};

/// The call, and why it is asked about. Never changes within a request, but for the number of calls it stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallView {
    /// The verb and the object in plain words: from the policy's template, else tool name and key argument.
    pub title: Visible,
    /// How bad it is.
    pub level: Level,
    /// The tool, with its server.
    pub tool: Visible,
    /// The arguments, those that decide first.
    pub args: Vec<ArgView>,
    /// All arguments as JSON, indented; what runs, but for what is redacted.
    pub args_json: Visible,
    /// What the policy knows of the effect.
    pub effect: Option<Visible>,
    /// Amounts, counts and facts of the policy's that matter.
    pub figures: Vec<FigureView>,
    /// What would change, as previewed: the agent's or the tool's words.
    pub preview: Option<Visible>,
    /// The task it serves, in the agent's words.
    pub task: Visible,
    /// Why the agent wants it, in its words.
    pub reason: Visible,
    /// Who asked.
    pub asked_by: Visible,
    /// The thread in which they did, where that was in a chat: ids of its surface, for that surface to make a mark or a link
    /// of. They are no text, and are shown nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_in: Option<Located>,
    /// The agent through which they did.
    pub agent: Visible,
    /// When.
    pub asked_at: Timestamp,
    /// The rules that want it asked.
    pub rules: Vec<RuleView>,
    /// Whether the policy says anything of what the tool does.
    pub is_described: bool,
    /// What the agent's words name in place of where the call takes effect.
    pub elsewhere: Option<ElsewhereView>,
    /// What the agent bases it on.
    pub evidence: Vec<EvidenceView>,
    /// What the agent says it does on a no.
    pub if_denied: Option<Visible>,
    /// Whether who asked may approve it: said on the card.
    pub requester_may_approve: bool,
    /// What became of it when the same call was asked about before.
    pub asked_again: Option<AskedAgain>,
    /// Who made it of another by an edit, and what they changed.
    pub edited: Option<EditedView>,
    /// What a yes can be remembered for, where that is offered.
    pub remember: Option<RememberView>,
    /// What would have happened with it, where the policy only looks on.
    pub shadow: Option<Tier>,
    /// How many calls a yes allows: this one, and those that differ in nothing from it and stand on its card.
    pub calls: u32,
    /// What was made visible or marked.
    pub warnings: Warnings,
    /// How many secrets are hidden; with any, no rendering shows the whole call.
    pub redacted: u32,
    /// What is approved; none where the call is veiled: who knows the tool could try arguments until one gives it.
    pub digest: Option<CallDigest>,
}

/// What became of it when the same call was asked about before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedAgain {
    /// People were asked, and nobody answered.
    Unanswered,
    /// Nobody could be reached.
    Unasked,
    /// People said no.
    Denied {
        /// Their reason.
        reason: Option<Visible>,
        /// Who they are; empty where that is not known.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        by: Vec<Visible>,
        /// When; none where that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgView {
    /// Its name.
    pub name: Visible,
    /// Its value: text as it is, anything else as JSON.
    pub value: Visible,
    /// Whether it is one of those that decide.
    pub leading: bool,
    /// Whether it is a text; anything else stands here as JSON.
    #[serde(skip)]
    pub is_text: bool,
}

/// A rule, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleView {
    /// Its name.
    pub rule: Visible,
    /// Why it says so.
    pub because: Visible,
    /// Which kind of rule it is.
    pub kind: RuleKind,
    /// The level that it led to, where it is one that raises.
    pub raised_to: Option<Level>,
    /// Why its condition could not be evaluated; it was then taken in the stricter way.
    pub error: Option<Visible>,
}

/// A figure, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FigureView {
    /// Which.
    pub name: FigureName,
    /// Its value.
    pub value: Visible,
}

/// An edit, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditedView {
    /// Who edited.
    pub by: Visible,
    /// The arguments as JSON, compared by lines with those before: `-` stands before a line that is gone, `+` before one
    /// that is new, `…` for lines that are left out.
    pub changes: Visible,
}

/// What a yes can be remembered for, as it is printed on the button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RememberView {
    /// Which other calls of the tool it would cover.
    pub pattern: Visible,
    /// For how long.
    pub within: Ttl,
}

/// A piece of evidence, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceView {
    /// What it is.
    pub title: Visible,
    /// Where it is, as text.
    pub uri: Option<Visible>,
    /// The part that matters.
    pub excerpt: Option<Visible>,
}

impl EvidenceView {
    /// What and where on the first line, what it says below.
    #[must_use]
    pub fn said(&self) -> String {
        let parts = [Some(&self.title), self.uri.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(|part| part.as_str()).collect();
        let head = parts.join(" · ");
        self.excerpt.as_ref().map_or_else(|| head.clone(), |excerpt| format!("{head}\n{excerpt}"))
    }
}

/// Arguments that usually decide, in the order in which people look for them; a policy can name others.
const DECIDING: [&str; 24] = [
    "path",
    "paths",
    "file",
    "files",
    "to",
    "cc",
    "bcc",
    "recipients",
    "recipient",
    "amount",
    "currency",
    "command",
    "cmd",
    "script",
    "host",
    "url",
    "method",
    "database",
    "table",
    "query",
    "environment",
    "env",
    "subject",
    "name",
];

impl CallView {
    pub(super) fn of(approval: &Approval, redactor: &Redactor) -> Self {
        let proposal = &approval.proposal;
        let verdict = approval.verdict.as_deref();
        let mut eye = Eye { redactor, warnings: Warnings::default(), redacted: 0 };
        let (args, hidden) = redactor.redact_value(proposal.call.args.value());
        eye.redacted += hidden;
        let leading = verdict.map_or(&[][..], |verdict| &verdict.leading_args);
        let args_view = arguments(&args, leading, &mut eye);
        let args_json = serde_json::to_string_pretty(&args).unwrap_or_default();
        // The same once more: what is found in it was counted above.
        let args_json = visible(&args_json);
        let title = title(approval, &args, leading, &mut eye);
        Self {
            title,
            level: verdict.map_or(Level::Critical, |verdict| verdict.level),
            tool: eye.line(&proposal.call.full_name()),
            args: args_view,
            args_json,
            effect: verdict
                .and_then(|verdict| verdict.effect.as_deref())
                .map(|template| eye.block(&fill_in(template, &args, &plain))),
            figures: verdict
                .map_or(&[][..], |v| &v.figures)
                .iter()
                .map(|one| figure(one, &mut eye))
                .collect(),
            preview: proposal.preview.as_deref().map(|text| eye.block(text)),
            task: eye.line(&proposal.task),
            reason: eye.block(&proposal.reason),
            asked_by: eye.line(&proposal.requester.shown_as),
            asked_in: proposal.asked_in.clone(),
            agent: eye.line(proposal.call.agent.as_str()),
            asked_at: approval.opened_at,
            rules: verdict.map_or(&[][..], |v| &v.rules).iter().map(|hit| rule(hit, &mut eye)).collect(),
            is_described: verdict.is_some_and(Verdict::describes),
            elsewhere: elsewhere::of(proposal, &args, &mut eye),
            evidence: proposal.evidence.iter().map(|piece| evidence(piece, &mut eye)).collect(),
            if_denied: proposal.if_denied.as_deref().map(|text| eye.block(text)),
            requester_may_approve: verdict
                .and_then(|verdict| verdict.terms.as_ref())
                .is_some_and(|terms| terms.requester_may_approve),
            asked_again: proposal.follows.as_ref().map(|earlier| asked_again(&earlier.how, &mut eye)),
            edited: proposal.edited.as_ref().map(|edited| {
                // Who is asked about what it is now need not be one of those who may read what it was.
                let may_read =
                    |readers: &Vec<Role>| approval.readers().iter().all(|role| readers.contains(role));
                if edited.confidential.as_ref().is_none_or(may_read) {
                    edit(edited, &args, &mut eye)
                } else {
                    EditedView { by: eye.line(&edited.name), changes: visible("") }
                }
            }),
            remember: verdict
                .and_then(|verdict| verdict.remember.as_ref())
                .map(|offer| remember(offer, &mut eye)),
            shadow: verdict.and_then(|verdict| verdict.shadow.as_ref()).map(|shadow| shadow.tier),
            calls: u32::try_from(approval.followers.len() - approval.gone.len())
                .unwrap_or(u32::MAX)
                .saturating_add(1),
            warnings: eye.warnings,
            redacted: eye.redacted,
            digest: Some(approval.digest),
        }
    }
}

/// The arguments in the order in which they are shown, and whether each is one of those that decide.
fn ordered<'a>(args: &'a Value, leading: &[String]) -> Vec<(&'a str, &'a Value, bool)> {
    let rank = |name: &str| {
        let named = leading.iter().position(|lead| lead == name);
        let usual = DECIDING.iter().position(|lead| *lead == name);
        named.or_else(|| usual.map(|place| leading.len() + place))
    };
    let mut all: Vec<_> = args
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value, rank(name)))
        .collect();
    all.sort_by_key(|(name, _, rank)| (rank.unwrap_or(usize::MAX), *name));
    all.into_iter().map(|(name, value, rank)| (name, value, rank.is_some())).collect()
}

/// The arguments, which are redacted already, made visible.
fn arguments(args: &Value, leading: &[String], eye: &mut Eye<'_>) -> Vec<ArgView> {
    let shown = ordered(args, leading).into_iter().map(|(name, value, leading)| ArgView {
        name: eye.seen(visible_line(name)),
        value: eye.seen(visible(&plain(value))),
        leading,
        is_text: value.is_string(),
    });
    shown.collect()
}

/// The policy's template with arguments put in, else the tool, where it takes effect, and its key argument. Never the
/// agent's prose. Of an argument of several lines the first stands there: what follows it could pretend to be the title's
/// own words.
fn title(approval: &Approval, args: &Value, leading: &[String], eye: &mut Eye<'_>) -> Visible {
    /// A title is a line, not a page.
    const TITLE_CHARS_MAX: usize = 120;
    let tool = approval.proposal.call.full_name();
    let template = approval.verdict.as_deref().and_then(|verdict| verdict.title.as_deref());
    let plain = match (template, ordered(args, leading).first()) {
        (Some(template), _) => fill_in(template, args, &first_line),
        (None, Some((key, value, _))) => {
            let place = elsewhere::place(args).filter(|(name, _)| name != key);
            let place = place.map(|(name, value)| format!(" ({name} {})", first_line(value)));
            format!("{tool}{} · {}", place.unwrap_or_default(), first_line(value))
        }
        (None, None) => tool,
    };
    visible_line(&eye.redactor.redact_text(&plain).text).cut_middle(TITLE_CHARS_MAX).0
}

/// A value as people read it: text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// As [`plain`], and a list as its members; of several lines the first.
fn first_line(value: &Value) -> String {
    let text = match value {
        Value::Array(members) => members.iter().map(plain).collect::<Vec<_>>().join(", "),
        one => plain(one),
    };
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() { format!("{first}…") } else { first.to_owned() }
}

/// Replaces `{name}` by the argument of that name, written so; a name that is no argument stays as it is written.
fn fill_in(template: &str, args: &Value, written: &dyn Fn(&Value) -> String) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                match args.get(name) {
                    Some(value) => filled.push_str(&written(value)),
                    None => filled.extend(["{", name, "}"]),
                }
                rest = tail;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn asked_again(how: &Before, eye: &mut Eye<'_>) -> AskedAgain {
    match how {
        Before::Unanswered => AskedAgain::Unanswered,
        Before::Unasked => AskedAgain::Unasked,
        Before::Denied { reason, by, at } => AskedAgain::Denied {
            reason: reason.as_deref().map(|reason| eye.line(reason)),
            by: by.iter().map(|name| eye.line(name)).collect(),
            at: *at,
        },
    }
}

fn rule(hit: &RuleHit, eye: &mut Eye<'_>) -> RuleView {
    RuleView {
        rule: eye.line(&hit.rule),
        because: eye.block(&hit.because),
        kind: hit.kind,
        raised_to: hit.level.filter(|_| hit.kind == RuleKind::Raise),
        error: hit.error.as_deref().map(|error| eye.line(error)),
    }
}

fn figure(figure: &Figure, eye: &mut Eye<'_>) -> FigureView {
    FigureView { name: figure.name, value: eye.line(&figure.value) }
}

fn remember(offer: &RememberOffer, eye: &mut Eye<'_>) -> RememberView {
    RememberView { pattern: eye.line(&offer.pattern.to_string()), within: offer.within }
}

/// What an edit changed. `after` is redacted already.
fn edit(edited: &Edited, after: &Value, eye: &mut Eye<'_>) -> EditedView {
    /// Lines around each change: enough to see where in the arguments it is.
    const CONTEXT_LINES: usize = 1;
    let (before, hidden) = eye.redactor.redact_value(edited.before.value());
    eye.redacted += hidden;
    let plain = |args: &Value| serde_json::to_string_pretty(args).unwrap_or_default();
    let diff = diff::unified(&plain(&before), &plain(after), CONTEXT_LINES);
    let lines = diff.lines.iter().map(|line| match line.kind {
        DiffLineKind::Added => format!("+ {}", line.text),
        DiffLineKind::Removed => format!("- {}", line.text),
        DiffLineKind::Gap { .. } | DiffLineKind::TooLarge { .. } => "…".to_owned(),
        DiffLineKind::Same => format!("  {}", line.text),
    });
    let changes = lines.collect::<Vec<_>>().join("\n");
    EditedView { by: eye.line(&edited.name), changes: eye.seen(visible(&changes)) }
}

fn evidence(piece: &Evidence, eye: &mut Eye<'_>) -> EvidenceView {
    EvidenceView {
        title: eye.line(&piece.title),
        uri: piece.uri.as_deref().map(|uri| eye.line(uri)),
        excerpt: piece.excerpt.as_deref().map(|text| eye.block(text)),
    }
}
