//! The policies in force, and what becomes of a change of their files: it takes force without a restart, or once those
//! agree to it whom the policy in force names; or, where it is wrong, it changes nothing and is told to whoever looks
//! after the installation.
//!
//! What always holds:
//! - A policy is on record before it judges anything.
//! - All files are read as one: what is wrong in any of them keeps all of them from taking force.
//! - A file that is being written is not read: what a look finds counts once the next look finds the same.
//! - What takes the yes of others takes it by the policy in force, not by the new one; a restart changes nothing about it.

mod agreement;
mod force;
mod refusal;
mod start;

use std::sync::Arc;

use futures::future::{Either, select};
use placet::gate::{Gate, PolicyShelf};
use placet::id::TenantId;
use placet::ports::StoreError;
use placet_http::PolicyHealth;
use placet_store::SqliteStore;
use tokio::sync::{Mutex, Notify};

use crate::record::{Policies, note_policies};
use crate::settings::{PolicyTexts, PolicyUnit, Settings, Unread};
use crate::soundness::{Flaw, Soundness};

use agreement::{Agreement, Answer, Change};
use force::Force;
use refusal::Refused;
use start::recorded_texts;
pub(crate) use start::{Files, Ground, Start};

/// What brings a policy into the record of a tenant that is new.
const NEW_TENANT: &str = "the tenant's first credential";

/// What brings a policy that is in force by the record.
const OTHER: &str = "another server on the same file";

/// Why the files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// It is time to.
    Routine,
    /// Somebody asked for it, by SIGHUP: they say that the files are as they are meant.
    Asked,
}

impl Look {
    /// As the record has it.
    const fn by(self) -> &'static str {
        match self {
            Self::Routine => "a change of the file",
            Self::Asked => "a change of the file, and a signal to read it",
        }
    }
}

/// What a look at the files found: their texts, or why they cannot be read.
type Seen = Result<PolicyTexts, Unread>;

/// Puts in force what the policy's files say, and keeps out what is wrong or not agreed to.
pub struct PolicyWatch {
    force: Force,
    local: Vec<String>,
    gate: Gate,
    agreement: Agreement,
    state: Mutex<State>,
    asked: Notify,
}

/// What the last looks came to.
struct State {
    in_force: Policies,
    /// What the last look found.
    seen: Seen,
    /// What was last acted upon.
    acted: Option<Seen>,
    /// The last texts that were right, whose changes people were asked about where that is wanted.
    asked_about: Option<PolicyTexts>,
    /// Whether people are asked about a change.
    waits: bool,
}

/// What the watch is made of.
pub(crate) struct Parts {
    pub(crate) settings: Arc<Settings>,
    /// Surfaces besides those of the settings.
    pub(crate) local: Vec<String>,
    pub(crate) store: SqliteStore,
    pub(crate) gate: Gate,
    pub(crate) shelf: Arc<PolicyShelf>,
    pub(crate) health: Arc<PolicyHealth>,
}

impl PolicyWatch {
    /// With what the start put in force.
    ///
    /// # Errors
    /// None in practice: constant names are names.
    pub(crate) fn new(parts: Parts, start: Start) -> anyhow::Result<Arc<Self>> {
        let Parts { settings, local, store, gate, shelf, health } = parts;
        let now = gate.clock().now();
        health.change(|standing| {
            standing.loaded_at = Some(now);
            standing.refused = start.refused.as_ref().map(|refused| refused.standing(now));
        });
        let Start { in_force, seen, refused } = start;
        // What is right and not in force yet is acted upon by the first look.
        let is_done =
            refused.is_some() || seen.as_ref().is_ok_and(|texts| texts.changed(&in_force.texts).is_empty());
        let acted = is_done.then(|| seen.clone());
        let state = Mutex::new(State { in_force, seen, acted, asked_about: None, waits: false });
        let force = Force { settings, store, shelf, health, clock: Arc::clone(gate.clock()) };
        let agreement = Agreement::new(gate.clone(), force.clone())?;
        Ok(Arc::new(Self { force, local, gate, agreement, state, asked: Notify::new() }))
    }

    /// Asks for a look now, from a signal.
    pub fn ask(&self) {
        self.asked.notify_one();
    }

    /// Looks at the files again and again, until it is dropped.
    pub async fn work(&self) {
        let clock = Arc::clone(self.gate.clock());
        if let Err(fault) = self.drop_moot().await {
            tracing::error!(error = %fault, "questions about the policy that are moot could not be taken back");
        }
        loop {
            let pause = clock.sleep_until(clock.now() + self.force.settings.policy.poll);
            let look = match select(Box::pin(self.asked.notified()), pause).await {
                Either::Left(_) => Look::Asked,
                Either::Right(_) => Look::Routine,
            };
            if let Err(fault) = self.look(look).await {
                tracing::error!(error = %fault, "the policy could not be looked at; it is tried again");
            }
        }
    }

    /// Looks at the files once, and at what people said of a change. What changed since the last look waits for the next
    /// one, unless somebody asked for this.
    ///
    /// # Errors
    /// The store failed; the next look tries again.
    pub async fn look(&self, look: Look) -> anyhow::Result<()> {
        let seen = self.read().await;
        let mut state = self.state.lock().await;
        let settled = look == Look::Asked || seen == state.seen;
        state.seen.clone_from(&seen);
        let followed = self.follow_others(&mut state).await?;
        let is_done =
            look == Look::Routine && !state.waits && !followed && state.acted.as_ref() == Some(&seen);
        if !settled || is_done {
            return Ok(());
        }
        let is_new = state.acted.as_ref() != Some(&seen);
        // Set again at the end: what the store fails is tried again by the next look.
        state.acted = None;
        match self.judged(&seen, is_new) {
            Ok(wanted) => self.change(&mut state, &wanted, look).await?,
            Err(refused) => {
                self.agreement.withdraw_all_but(&[]).await?;
                self.waiting(&mut state, 0);
                self.refuse(&refused).await?;
            }
        }
        state.acted = Some(seen);
        Ok(())
    }

    /// Where several servers have one file, judges by what another of them has put in force since. Only where the files say
    /// something else than what is in force here can there be such a thing: with the same files, it is what they say.
    async fn follow_others(&self, state: &mut State) -> anyhow::Result<bool> {
        let is_behind =
            state.seen.as_ref().is_ok_and(|texts| !texts.changed(&state.in_force.texts).is_empty());
        if !is_behind || !self.force.store.is_shared() {
            return Ok(false);
        }
        let recorded = recorded_texts(&self.force.settings, &self.force.store).await?;
        let Some(texts) = recorded.filter(|texts| !texts.changed(&state.in_force.texts).is_empty()) else {
            return Ok(false);
        };
        match self.checked(&texts) {
            Ok((policies, _)) => {
                self.force.follow(&policies, OTHER);
                state.in_force = policies;
                self.judge_again().await;
                Ok(true)
            }
            Err(why) => {
                tracing::error!(
                    why = why.all(),
                    "another server has put a policy in force that does not go together with the settings of this one"
                );
                Ok(false)
            }
        }
    }

    /// Takes back what people are asked and the files no longer say, once after a start: what took force with it, by
    /// `--take-policy` say, is no question any more.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn drop_moot(&self) -> Result<(), StoreError> {
        let state = self.state.lock().await;
        let is_in_force =
            state.seen.as_ref().is_ok_and(|texts| texts.changed(&state.in_force.texts).is_empty());
        if is_in_force { self.agreement.withdraw_all_but(&[]).await } else { Ok(()) }
    }

    /// Reads the files where it holds up nobody.
    async fn read(&self) -> Seen {
        let policy = self.force.settings.policy.clone();
        match tokio::task::spawn_blocking(move || policy.read_texts()).await {
            Ok(texts) => texts,
            Err(broken) => Err(Unread { of: None, why: format!("the policy could not be read: {broken}") }),
        }
    }

    /// What the files say, if it is right.
    fn judged(&self, seen: &Seen, is_new: bool) -> Result<Policies, Box<Refused>> {
        let texts = seen.as_ref().map_err(Refused::unreadable)?;
        let (policies, warnings) = self.checked(texts)?;
        for warning in warnings.iter().filter(|_| is_new) {
            tracing::warn!("{warning}");
        }
        Ok(policies)
    }

    fn checked(&self, texts: &PolicyTexts) -> Result<(Policies, Vec<String>), Box<Refused>> {
        let local: Vec<&str> = self.local.iter().map(String::as_str).collect();
        checked(&self.force.settings, texts, &local)
    }

    /// Puts in force what takes nobody's yes, asks about the rest, and puts in force what people agreed to.
    async fn change(&self, state: &mut State, wanted: &Policies, look: Look) -> anyhow::Result<()> {
        let before_look = state.in_force.texts.clone();
        let changed = wanted.texts.changed(&before_look);
        let (asked, free): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|unit| state.in_force.policy(unit).change().is_some());
        let texts =
            free.iter().fold(state.in_force.texts.clone(), |texts, unit| texts.with(unit, &wanted.texts));
        if !free.is_empty() {
            // What is right only together with a change that waits for a yes waits with it.
            match self.checked(&texts) {
                Ok((policies, _)) => self.take(state, policies, look.by()).await?,
                Err(why) => tracing::info!(why = why.all(), "a change of the policy waits for another"),
            }
        }
        let asked_before = state.asked_about.replace(wanted.texts.clone());
        let mut changes = Vec::new();
        for unit in asked {
            let Some(tenant) = self.asked_in(&unit) else { continue };
            let new = |before: &PolicyTexts| before.text(&unit) != wanted.texts.text(&unit);
            let anew = look == Look::Asked || asked_before.as_ref().is_some_and(new);
            changes.push((Change::of(unit, (&state.in_force, wanted), tenant)?, anew));
        }
        let askable = changes.iter().map(|(change, _)| change).filter(|change| change.is_askable());
        let open: Vec<Change> = askable.cloned().collect();
        self.agreement.withdraw_all_but(&open).await?;
        let (mut waiting, mut out) = (0, None);
        for (change, anew) in &changes {
            match self.agreement.ask(change, *anew).await? {
                Answer::Waits => waiting += 1,
                Answer::Out(why) => out = Some(Refused::not_agreed(change, &why)),
                Answer::Agreed(approval) => {
                    let texts = state.in_force.texts.clone().with(&change.unit, &wanted.texts);
                    let done = match self.checked(&texts) {
                        Ok((policies, _)) => {
                            let done =
                                self.agreement.carry_out(change, (&approval, policies.clone())).await?;
                            if done {
                                state.in_force = policies;
                                self.judge_again().await;
                            }
                            done
                        }
                        Err(why) => {
                            tracing::info!(
                                why = why.all(),
                                "an agreed change of the policy waits for another"
                            );
                            false
                        }
                    };
                    waiting += u32::from(!done);
                }
            }
        }
        self.waiting(state, waiting);
        match out {
            Some(refused) => self.refuse(&refused).await?,
            None => {
                let mut was_refused = false;
                self.force.health.change(|standing| was_refused = standing.refused.take().is_some());
                log_result(
                    look,
                    (was_refused, state.in_force.texts.changed(&before_look).is_empty(), waiting),
                );
            }
        }
        Ok(())
    }

    /// In which tenant people are asked about a change of this file.
    fn asked_in(&self, unit: &PolicyUnit) -> Option<TenantId> {
        match unit {
            PolicyUnit::Tenant(tenant) => Some(tenant.clone()),
            PolicyUnit::Installation => self.force.settings.policy_tenant().cloned(),
        }
    }

    async fn take(&self, state: &mut State, policies: Policies, by: &str) -> Result<(), StoreError> {
        self.force.put(&policies, by).await?;
        state.in_force = policies;
        self.judge_again().await;
        Ok(())
    }

    /// Judges what is open and unspent by what is in force now. What cannot be judged now is judged at its claim.
    async fn judge_again(&self) {
        if let Err(fault) = self.gate.rejudge_all().await {
            tracing::error!(error = %fault, "what is open could not be judged again; it is at its claim");
        }
    }

    fn waiting(&self, state: &mut State, waiting: u32) {
        state.waits = waiting > 0;
        self.force.health.change(|standing| standing.waiting = waiting);
    }

    /// Keeps it out, and tells of it: in the log, on record and to the operators once, in `/readyz` and on `/metrics`
    /// as long as it lasts.
    async fn refuse(&self, refused: &Refused) -> Result<(), StoreError> {
        let now = self.force.clock.now();
        self.force.health.change(|standing| {
            let same = standing.refused.as_ref().filter(|before| before.digest == refused.digest);
            let since = same.map_or(now, |before| before.since);
            if same.is_none() {
                refused.log();
            }
            standing.refused = Some(refused.standing(since));
        });
        refused.note(&self.force.store, self.force.tenants().await?).await
    }

    /// Notes the policy in force for a tenant that is new.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn note_for(&self, tenant: TenantId) -> Result<(), StoreError> {
        let state = self.state.lock().await;
        note_policies(&self.force.store, &state.in_force, NEW_TENANT, [tenant]).await
    }
}

/// Says how a look ended that found nothing wrong, where somebody may wait for that.
fn log_result(look: Look, (was_refused, is_same, waiting): (bool, bool, u32)) {
    if was_refused {
        tracing::info!(
            "what was not taken of the policy is gone from the files: nothing is refused any more"
        );
    } else if look == Look::Asked && is_same {
        match waiting {
            0 => tracing::info!("the policy's files say what is in force: nothing changed"),
            _ => tracing::info!(
                policy.waiting = waiting,
                "nothing of the policy takes force now: a change waits for a yes"
            ),
        }
    }
}

/// Reads texts and looks at them together with the settings; with what there is to warn of.
fn checked(
    settings: &Settings,
    texts: &PolicyTexts,
    local: &[&str],
) -> Result<(Policies, Vec<String>), Box<Refused>> {
    let policies = Policies::of(texts.clone()).map_err(|errors| Refused::wrong(texts, &errors))?;
    let found = Soundness::of(settings, (texts, &policies.set), local)
        .map_err(|error| Refused::unsound(texts, &[Flaw::plain(None, error.to_string())]))?;
    if found.errors.is_empty() {
        Ok((policies, found.warnings))
    } else {
        Err(Refused::unsound(texts, &found.errors))
    }
}
