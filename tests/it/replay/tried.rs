//! Another policy over a recorded period, and what it changes.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use placet::approval::Approval;
use placet_tests::Desk;
use serde_json::{Value, json};

use super::{Period, replays_files};

/// Which requests change.
pub(super) fn ids(changes: &[Value]) -> BTreeSet<String> {
    changes.iter().filter_map(|change| Some(change["request"].as_str()?.to_owned())).collect()
}

pub(super) fn ids_of(requests: &[&Approval]) -> BTreeSet<String> {
    requests.iter().map(|request| request.id.to_string()).collect()
}

/// What another policy makes of a period.
pub(super) struct Tried {
    /// The exit code.
    pub(super) code: i32,
    /// What is said of it.
    pub(super) replay: Value,
}

impl Tried {
    /// Writes the policy, and replays it with the tenant's files of these days.
    pub(super) fn of(desk: &Desk, period: Period, policy: &str) -> Result<Self> {
        std::fs::write(desk.folder().join("new.toml"), policy)?;
        let files = ["--policy", "new.toml", "--tenant", "acme=acme.toml"];
        let (code, told) = replays_files(desk, period, &files)?;
        ensure!(told["unrepeated"] == json!([]), "{:#}", told["unrepeated"]);
        Ok(Self { code, replay: told["replay"].clone() })
    }

    /// That exactly these calls change, and how many cards that is more at day and at night.
    pub(super) fn changes(&self, expected: &[&Approval], cards: (i64, i64)) -> Result<()> {
        let changes = self.replay["changes"].as_array().context("changes")?;
        ensure!(ids(changes) == ids_of(expected), "{:?}\n{:?}", ids(changes), ids_of(expected));
        ensure!(changes.is_sorted_by_key(|change| change["at"].as_i64()), "in the order of the record");
        ensure!(
            ids(changes).len() == changes.len() && !changes.is_empty() && self.code == 1,
            "{}",
            self.code
        );
        ensure!(
            self.more("cards")? == cards.0 + cards.1,
            "{:#} {:#}",
            self.replay["before"],
            self.replay["after"]
        );
        ensure!(self.more("at_night")? == cards.1, "{:#} {:#}", self.replay["before"], self.replay["after"]);
        Ok(())
    }

    pub(super) fn count(&self, when: &str, what: &str) -> Result<i64> {
        self.replay[when][what].as_i64().with_context(|| format!("{when} {what}"))
    }

    fn more(&self, what: &str) -> Result<i64> {
        Ok(self.count("after", what)? - self.count("before", what)?)
    }

    /// How many cards somebody had, or would have.
    pub(super) fn cards_of(&self, when: &str, person: &str) -> i64 {
        let people = self.replay[when]["people"].as_array();
        let load = people.and_then(|people| people.iter().find(|load| load["person"] == person));
        load.and_then(|load| load["cards"].as_i64()).unwrap_or(0)
    }
}
