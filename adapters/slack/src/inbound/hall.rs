//! Several workspaces behind one address: which of them a call is for.
//!
//! What always holds: the signature decides first, or the socket that it came on, the body only among those whose secret signed
//! it. A body that names a workspace which did not sign it, or none that is known, reaches nobody, whatever else stands in it.
//!
//! Which installation a call is for: `view.app_installed_team_id` and `authorizations` say it themselves; `team`, the
//! enterprise and the user's own workspace only where those do not, for in a shared channel they may be another's.
//! <https://docs.slack.dev/apis/slack-connect>

use std::sync::{Mutex, PoisonError};

use placet::time::Timestamp;
use serde_json::Value;

use super::signed::{SAY_EVERY, UnsignedCalls};
use super::{Desk, Shared, SlackInbound};
use crate::payload::{Event, EventCallback, Interaction, SlashCommand};
use crate::signature::{Unsigned, Verified};

/// The workspaces behind one address.
pub(crate) struct Hall {
    desks: Vec<Shared>,
    /// Ids of workspaces that are served elsewhere in this process: what names one of them is for none of these.
    neighbours: Vec<String>,
    pub(super) unsigned: UnsignedCalls,
    strays: Mutex<Strays>,
}

/// Authentic calls of workspaces that are not configured.
#[derive(Debug, Default)]
struct Strays {
    count: u64,
    said_at: Option<Timestamp>,
}

/// A call is for no workspace that may have sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stray;

/// The workspaces or enterprises that a call names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    /// For which installation it says that it is.
    installed: Vec<&'a str>,
    /// Where the installation may be, the likeliest first.
    likely: Vec<&'a str>,
}

impl Hall {
    pub(super) fn new(desks: Vec<Shared>, neighbours: Vec<String>) -> Self {
        Self { desks, neighbours, unsigned: UnsignedCalls::default(), strays: Mutex::default() }
    }

    /// Of one workspace, which has a way in of its own.
    pub(crate) fn of(inbound: SlackInbound) -> Self {
        let neighbours = inbound.neighbours.clone();
        Self::new(vec![Shared::new(Desk::new(inbound))], neighbours)
    }

    /// The time.
    pub(super) fn now(&self) -> Timestamp {
        self.desks.first().map_or(Timestamp::from_millis(0), |desk| desk.slack.clock().now())
    }

    /// Those whose secret signed a body, and the body. Every secret is tried, so that the time tells nothing of which.
    pub(super) fn verify(
        &self,
        headers: &axum::http::HeaderMap,
        body: &bytes::Bytes,
    ) -> Result<(Verified, Vec<Shared>), Unsigned> {
        let now = self.now().as_secs();
        let mut verified = Err(Unsigned::Mismatch);
        let mut signers = Vec::new();
        for desk in &self.desks {
            match (desk.secrets.verify_request(now, headers, body.clone()), &verified) {
                (Ok(body), _) => {
                    signers.push(Shared::clone(desk));
                    verified = Ok(body);
                }
                (Err(fault), Err(_)) => verified = Err(fault),
                (Err(_), Ok(_)) => {}
            }
        }
        Ok((verified?, signers))
    }

    /// The one that a call is for, where each of them may have sent it: the way that it came says so.
    pub(crate) fn pick_any(&self, named: &Named<'_>) -> Result<Shared, Stray> {
        self.pick(&self.desks, named)
    }

    /// The one that a call is for, among those that signed it.
    pub(super) fn pick(&self, signers: &[Shared], named: &Named<'_>) -> Result<Shared, Stray> {
        let ids = if named.installed.is_empty() { &named.likely } else { &named.installed };
        // A workspace before the enterprise that it shares with others.
        let own = ids.iter().find_map(|id| signers.iter().find(|desk| home(desk).team_id == **id));
        let found = own.or_else(|| {
            ids.iter().find_map(|id| {
                let mut of = signers.iter().filter(|desk| home(desk).enterprise_id.as_deref() == Some(*id));
                // An enterprise is one installation; of two workspaces in it neither is more likely.
                of.next().filter(|_| of.next().is_none())
            })
        });
        if let Some(desk) = found {
            return Ok(Shared::clone(desk));
        }
        let known = self.desks.iter().map(|desk| &home(desk).team_id).chain(&self.neighbours);
        let is_anothers = known.into_iter().any(|id| ids.contains(&id.as_str()));
        match signers {
            // Somebody of elsewhere, in a channel that is shared with them: that is told by who they are.
            [desk] if named.installed.is_empty() && !is_anothers => Ok(Shared::clone(desk)),
            _ => Err(self.stray()),
        }
    }

    fn stray(&self) -> Stray {
        let now = self.now();
        let mut strays = self.strays.lock().unwrap_or_else(PoisonError::into_inner);
        strays.count += 1;
        if strays.said_at.is_none_or(|last| now.since(last) >= SAY_EVERY) {
            strays.said_at = Some(now);
            tracing::warn!(
                slack.strays = strays.count,
                "a call of Slack's is for a workspace that is not in the settings, or whose calls come another way, and was \
                 refused: add it as [[slack]], or remove the app from it"
            );
        }
        Stray
    }
}

fn home(desk: &Shared) -> &crate::identity::Home {
    &desk.slack.settings().home
}

impl<'a> Named<'a> {
    fn of(
        installed: impl IntoIterator<Item = Option<&'a str>>,
        likely: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Self {
        let named = |ids: &mut dyn Iterator<Item = Option<&'a str>>| -> Vec<&'a str> {
            ids.flatten().filter(|id| !id.is_empty()).collect()
        };
        Self { installed: named(&mut installed.into_iter()), likely: named(&mut likely.into_iter()) }
    }

    /// By an interaction.
    pub(crate) fn by_interaction(interaction: &'a Interaction) -> Self {
        let (view, team, enterprise, user) = match interaction {
            Interaction::BlockActions(click) => (&click.view, &click.team, &click.enterprise, &click.user),
            Interaction::ViewSubmission(submission) => {
                (&submission.view, &submission.team, &submission.enterprise, &submission.user)
            }
            Interaction::ViewClosed(closed) => (&closed.view, &closed.team, &closed.enterprise, &closed.user),
            Interaction::Other { .. } => return Self::default(),
        };
        let installed = view.as_ref().and_then(|view| view.app_installed_team_id.as_deref());
        let team = team.as_ref().and_then(|team| team.id.as_deref());
        let enterprise = enterprise.as_ref().and_then(|enterprise| enterprise.id.as_deref());
        let user = user.as_ref().and_then(|user| user.team_id.as_deref());
        Self::of([installed], [team, enterprise, user])
    }

    /// By a typed command.
    pub(crate) fn by_command(command: &'a SlashCommand) -> Self {
        Self::of([], [command.team_id.as_deref(), command.enterprise_id.as_deref()])
    }

    /// By an event, of whatever kind.
    pub(crate) fn by_any_event(event: &'a Event) -> Self {
        match event {
            Event::Callback(callback) => Self::by_event(callback),
            Event::UrlVerification { .. } | Event::Other { .. } => Self::default(),
        }
    }

    /// By an event.
    pub(crate) fn by_event(callback: &'a EventCallback) -> Self {
        let authorizations = callback.authorizations.as_array().map_or(&[][..], Vec::as_slice);
        let of = |name: &'static str| move |one: &'a Value| one[name].as_str().filter(|id| !id.is_empty());
        let installed =
            authorizations.iter().map(of("team_id")).chain(authorizations.iter().map(of("enterprise_id")));
        let installed: Vec<Option<&'a str>> = installed.collect();
        Self::of(installed, [callback.team_id.as_deref(), callback.enterprise_id.as_deref()])
    }
}
