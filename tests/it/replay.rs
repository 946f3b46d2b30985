//! Looking back: a recorded month, judged again by the shipped program from the database that the server wrote.

mod month;
mod policies;
mod tried;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use placet::approval::{Approval, RejectedBy, State};
use placet::policy::{Recent, RuleKind, Tier};
use placet::record::{Event, EventKind};
use placet::time::{Timestamp, Ttl};
use placet_tests::commands::Told;
use placet_tests::desk::TENANT;
use placet_tests::{Desk, conversation};
use serde_json::{Value, json};

use month::{Month, OTHER};
use tried::{Tried, ids, ids_of};

/// The shipped program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_placet-under-test");

/// A part of the record: from when until when.
type Period = (Timestamp, Timestamp);

fn replays(desk: &Desk, (from, until): Period, more: &[&str]) -> Result<Told> {
    let (since, until) = (until.since(from).to_string(), until.to_rfc3339());
    let arguments = ["policy", "replay", "--config", "placet.toml", "--since", &since, "--until", &until];
    let told = desk.commands(PROGRAM, &[&arguments, more].concat())?;
    ensure!(told.notes.is_empty() || told.code == 2, "{told:?}");
    Ok(told)
}

/// What replaying policies in these files over a period comes to, as JSON, and the exit code.
fn replays_files(desk: &Desk, period: Period, files: &[&str]) -> Result<(i32, Value)> {
    let told = replays(desk, period, &[files, &["--json"]].concat())?;
    Ok((told.code, told.json()?))
}

/// One loaded policy of a tenant, as its record has it.
struct Loaded {
    at: Timestamp,
    text: String,
    own: Option<String>,
}

async fn loads(desk: &Desk, tenant: &str) -> Result<Vec<Loaded>> {
    let load = |event: Event| match event.kind {
        EventKind::PolicyLoaded { text, tenant_text: own, .. } => Some(Loaded { at: event.at, text, own }),
        _ => None,
    };
    Ok(desk.notes_of(tenant, "policy.loaded").await?.into_iter().filter_map(load).collect())
}

/// Writes the versions that were in force at a time, and gives the arguments that name them.
fn files_of(desk: &Desk, at: Timestamp, tenants: &[(&str, &[Loaded])]) -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    for (tenant, loads) in tenants {
        let Some(load) = loads.iter().rev().find(|load| load.at <= at) else { continue };
        if arguments.is_empty() {
            std::fs::write(desk.folder().join("then.toml"), &load.text)?;
            arguments.extend(["--policy".to_owned(), "then.toml".to_owned()]);
        }
        if let Some(own) = &load.own {
            let file = format!("then-{tenant}.toml");
            std::fs::write(desk.folder().join(&file), own)?;
            arguments.extend(["--tenant".to_owned(), format!("{tenant}={file}")]);
        }
    }
    Ok(arguments)
}

/// What the month must hold for all that is said of it to say anything.
fn is_a_month(month: &Month) -> Result<()> {
    let requests = &month.requests;
    ensure!(requests.len() == month.proposed && month.proposed > 300, "{}", requests.len());
    let verdicts: Vec<_> = requests.iter().filter_map(|request| request.verdict.as_deref()).collect();
    ensure!(verdicts.len() == requests.len());
    for tier in [Tier::Auto, Tier::Suggest, Tier::Approve, Tier::Forbid] {
        ensure!(verdicts.iter().any(|verdict| verdict.tier == tier), "nothing is {tier}");
    }
    let hits = || verdicts.iter().flat_map(|verdict| &verdict.rules);
    for (kind, word) in
        [(RuleKind::Forbid, "forbids"), (RuleKind::Rule, "grades"), (RuleKind::Raise, "raises")]
    {
        let certain = hits().any(|hit| hit.kind == kind && hit.error.is_none());
        ensure!(certain, "nothing {word}");
    }
    for rule in ["debts", "small payments", "not trusted", "no large payments"] {
        ensure!(hits().any(|hit| hit.rule == rule && hit.error.is_some()), "{rule} never errs");
    }
    for rule in [
        "at night",
        "weekend",
        "freeze",
        "often",
        "refused lately",
        "our customers",
        "customers otherwise",
        "never",
    ] {
        ensure!(hits().any(|hit| hit.rule == rule), "{rule} never matches");
    }
    // The 25th, a Friday, in Berlin.
    let christmas = Timestamp::from_secs(1_798_153_200)..Timestamp::from_secs(1_798_239_600);
    let then = requests.iter().filter(|request| christmas.contains(&request.opened_at));
    let mut then = then.filter_map(|request| request.verdict.as_deref()).flat_map(|verdict| &verdict.rules);
    ensure!(then.any(|hit| hit.rule == "weekend"), "Christmas is a day like any other");
    ensure!(verdicts.iter().any(|verdict| verdict.shadow.is_some()), "nothing is looked on at");
    ensure!(verdicts.iter().any(|verdict| verdict.remember.is_some()), "nothing can be remembered");
    let circumstances = || verdicts.iter().filter_map(|verdict| verdict.circumstances.as_ref());
    ensure!(circumstances().any(|now| now.recent != Recent::default()));
    ensure!(circumstances().any(|now| now.requester.roles_unread));
    ensure!(circumstances().any(|now| now.requester.roles.iter().any(|role| role.as_str() == "trusted")));
    ensure!(requests.iter().any(|request| request.proposal.edited.is_some()));
    ensure!(requests.iter().any(|request| !request.followers.is_empty()), "no card is shared");
    let mut versions: BTreeMap<_, usize> = BTreeMap::new();
    for verdict in &verdicts {
        *versions.entry(verdict.policy.digest).or_default() += 1;
    }
    ensure!(versions.len() >= 9, "{} versions judged", versions.len());
    Ok(())
}

/// R20: every verdict of a recorded month comes out again by the very version that gave it, from the database alone: over
/// nights, a weekend, a holiday and a freeze, through five changes of the policy, a wrong one and restarts, for two tenants
/// with files of their own, with conditions that err, roles that could not be read and what had happened lately; and in the
/// time in which a version was in force, that version changes nothing.
#[conversation]
async fn a_recorded_month_comes_out_again_by_what_judged_it(desk: &mut Desk) -> Result<()> {
    let month = month::recorded(desk, month::DAYS).await?;
    is_a_month(&month)?;
    let all = (month.from, month.until);
    let (code, told) = replays_files(desk, all, &[])?;
    ensure!(told["unrepeated"] == json!([]), "{:#}", told["unrepeated"]);
    ensure!(told["replay"]["judged"] == month.proposed, "{}", told["replay"]["judged"]);
    ensure!(code == 1, "the policy of the last day says something else of the days with others");

    let (acme, globex) = (loads(desk, TENANT).await?, loads(desk, OTHER).await?);
    let tenants: [(&str, &[Loaded]); 2] = [(TENANT, &acme), (OTHER, &globex)];
    let mut changes: Vec<Timestamp> = acme.iter().chain(&globex).map(|load| load.at).collect();
    changes.sort();
    changes.dedup();
    changes.retain(|at| *at > month.from);
    changes.push(month.until + Ttl::from_millis(1));
    let (mut from, mut judged) = (month.from, 0);
    for next in changes {
        let until = next - Ttl::from_millis(1);
        let files = files_of(desk, until, &tenants)?;
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let (code, told) = replays_files(desk, (from, until), &files)?;
        let changed = &told["replay"]["changes"];
        ensure!(code == 0 && *changed == json!([]), "from {}: {changed:#}", from.to_rfc3339());
        let expected = month.between(from, until).count();
        ensure!(told["replay"]["judged"] == expected, "from {}: {expected}", from.to_rfc3339());
        ensure!(told["replay"]["before"] == told["replay"]["after"], "{:#}", told["replay"]);
        let people = told["replay"]["before"]["people"].as_array().map_or(0, Vec::len);
        ensure!(people > 0 && told["replay"]["before"]["unanswerable"] == 0, "{:#}", told["replay"]);
        judged += expected;
        from = next;
    }
    ensure!(judged == month.proposed, "{judged}");

    // What would have been asked while payments were only looked on at.
    let until = month.until.to_rfc3339();
    let arguments =
        ["policy", "shadow", "--config", "placet.toml", "--since", "31d", "--until", &until, "--json"];
    let shown = desk.commands(PROGRAM, &arguments)?.json()?;
    let looked_on = month
        .requests
        .iter()
        .filter(|request| request.verdict.as_deref().is_some_and(|verdict| verdict.shadow.is_some()));
    let looked_on = looked_on.count();
    ensure!(shown["calls"] == looked_on && shown["cards"]["cards"] == looked_on, "{looked_on}: {shown:#}");
    ensure!(shown["tools"] == json!([["pay", looked_on]]), "{shown:#}");

    // A verdict of whose policy the text is lost is told of, and fails.
    desk.stop().await?;
    let lost = desk.folder().join("lost");
    std::fs::create_dir(&lost)?;
    for file in ["placet.db", "placet.toml", "policy.toml", "acme.toml", "globex.toml"] {
        std::fs::copy(desk.folder().join(file), lost.join(file))?;
    }
    let database = rusqlite::Connection::open(lost.join("placet.db"))?;
    let gone = "DELETE FROM event WHERE type = 'policy.loaded' AND tenant_id = 'globex'";
    ensure!(database.execute(gone, [])? > 0);
    drop(database);
    let arguments =
        ["policy", "replay", "--config", "lost/placet.toml", "--since", "31d", "--until", &until, "--json"];
    let told = desk.commands(PROGRAM, &arguments)?;
    let unrepeated = told.json()?["unrepeated"].clone();
    let why = |entry: &Value| entry["why"].as_str().is_some_and(|why| why.contains("is not on record"));
    ensure!(
        told.code == 1 && unrepeated.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(why))
    );
    // What cannot be read at all is nothing that was found.
    let database = rusqlite::Connection::open(lost.join("placet.db"))?;
    database.execute("ALTER TABLE event RENAME TO elsewhere", [])?;
    drop(database);
    for arguments in [arguments.to_vec(), vec!["policy", "shadow", "--config", "lost/placet.toml"]] {
        let told = desk.commands(PROGRAM, &arguments)?;
        ensure!(told.code == 2 && told.notes.contains("the record cannot be read"), "{told:?}");
    }
    desk.start().await
}

/// How a call stands in the week, in Berlin in winter.
struct Hour {
    night: bool,
    weekend: bool,
}

fn hour(at: Timestamp) -> Hour {
    let hours = at.as_millis() / 3_600_000 + 1;
    let (hour, day) = (hours % 24, hours / 24);
    // The first day of 1970 was a Thursday.
    Hour { night: !(6..22).contains(&hour), weekend: (day + 3) % 7 >= 5 }
}

/// The amount of a payment, where it has one that can be computed with.
fn paid(request: &Approval) -> Option<f64> {
    let call = &request.proposal.call;
    (call.tool.as_str() == "pay").then(|| call.args.value().get("amount").and_then(Value::as_f64)).flatten()
}

/// Whether people had a card of its own.
async fn had_a_card(desk: &Desk, request: &Approval) -> Result<bool> {
    let mut had = false;
    for event in desk.events(&request.id.to_string()).await? {
        match event.kind {
            EventKind::Requested { .. } => had = true,
            EventKind::SharesCard { leader } => had = leader.is_none(),
            _ => {}
        }
    }
    Ok(had)
}

/// R20: another policy, replayed over recorded days, changes exactly what it says otherwise: more cards and fewer, for whom,
/// at night, and those that nobody could answer; what happened lately is counted where the days' own policy did not look at
/// it. The exit codes are those that the help promises.
#[conversation]
async fn another_policy_over_recorded_days_changes_what_it_says(desk: &mut Desk) -> Result<()> {
    let days = month::recorded(desk, 13).await?;
    let first = loads(desk, TENANT).await?;
    let loose = first.iter().rev().find(|load| load.at < days.tighter).context("the first version")?;
    let week = (days.from, days.tighter - Ttl::from_millis(1));
    let of_week: Vec<&Approval> = days.between(week.0, week.1).collect();
    let by_day = |request: &&&Approval| !hour(request.opened_at).night;
    let which = |wanted: &dyn Fn(&Approval) -> bool| -> Vec<&Approval> {
        of_week.iter().copied().filter(|request| wanted(request)).collect()
    };
    let count = |requests: &[&Approval]| -> Result<i64> { Ok(i64::try_from(requests.len())?) };

    // The same policy: nothing, and it is fit for CI.
    let same = Tried::of(desk, week, &loose.text)?;
    ensure!(same.code == 0 && same.replay["changes"] == json!([]), "{:#}", same.replay);
    ensure!(same.replay["before"] == same.replay["after"], "{:#}", same.replay);
    let mut cards = 0;
    for request in &of_week {
        cards += i64::from(had_a_card(desk, request).await?);
    }
    ensure!(same.count("before", "cards")? == cards && cards > 0, "{cards}");

    // More: what is small is smaller. At night those were asked about already, for another rule.
    let half = which(&|request| paid(request).is_some_and(|amount| (50.0..100.0).contains(&amount)));
    let more = half.iter().filter(by_day).count();
    let tried = Tried::of(desk, week, &loose.text.replacen("amount < 100", "amount < 50", 1))?;
    tried.changes(&half, (i64::try_from(more)?, 0))?;
    ensure!(more > 0 && more < half.len(), "{more} of {}", half.len());

    // Fewer: what is small is larger.
    let larger = which(&|request| paid(request).is_some_and(|amount| (100.0..1000.0).contains(&amount)));
    let fewer = larger.iter().filter(by_day).count();
    let tried = Tried::of(desk, week, &loose.text.replacen("amount < 100", "amount < 1000", 1))?;
    tried.changes(&larger, (-i64::try_from(fewer)?, 0))?;
    ensure!(fewer > 0 && fewer < larger.len(), "{fewer} of {}", larger.len());

    // At night: reading is asked about then. The weekend's reads are still raised by the weekend as well.
    let night =
        which(&|request| request.proposal.call.tool.as_str() == "read_file" && hour(request.opened_at).night);
    let raise = "[[raise]]\nname = \"night reads\"\ntools = [\"read_*\"]\nwhen = \"time.night\"\nto = \"high\"\nbecause = \"Who \
                 reads at night?\"\n\n[[people]]";
    let tried = Tried::of(desk, week, &loose.text.replacen("[[people]]", raise, 1))?;
    tried.changes(&night, (0, count(&night)?))?;
    ensure!(night.iter().any(|request| hour(request.opened_at).weekend));

    // For whom: payments go to finance. By day those were the admins'; at night two admins look besides, and where nobody can
    // tell how much it is, the default's admin does.
    let pays = which(&|request| {
        let verdict = request.verdict.as_deref();
        let graded = verdict.is_some_and(|verdict| verdict.rules.iter().any(|hit| hit.rule == "payments"));
        graded && request.proposal.call.tool.as_str() == "pay"
    });
    let finance = "name = \"payments\"\ntools = [\"pay\"]\nlevel = \"high\"\nrole = \"finance\"";
    let graded = "name = \"payments\"\ntools = [\"pay\"]\nlevel = \"high\"";
    let tried = Tried::of(desk, week, &loose.text.replacen(graded, finance, 1))?;
    tried.changes(&pays, (0, 0))?;
    ensure!((tried.cards_of("before", "fay"), tried.cards_of("after", "fay")) == (0, count(&pays)?));
    let spared = pays.iter().filter(by_day).filter(|request| paid(request).is_some()).count();
    let bos = (tried.cards_of("before", "bo"), tried.cards_of("after", "bo"));
    ensure!(bos.0 - bos.1 == i64::try_from(spared)? && (1..pays.len()).contains(&spared), "{bos:?} {spared}");

    // Nobody could answer: on three days there is but one admin, and what is critical takes two.
    let away = "name = \"Chen\"\naway = [{ from = 2026-12-02, until = 2026-12-05 }]";
    let dana = "name = \"Dana\"\naway = [{ from = 2026-12-02, until = 2026-12-05 }]";
    let gil = "name = \"Gil\"\naway = [{ from = 2026-12-02, until = 2026-12-05 }]";
    let thin = loose.text.replacen("name = \"Chen\"", away, 1).replacen("name = \"Dana\"", dana, 1);
    let tried = Tried::of(desk, week, &thin.replacen("name = \"Gil\"", gil, 1))?;
    let mut lone = 0;
    for request in &of_week {
        // From the 2nd at midnight in Berlin for three days.
        let thin = (1_796_166_000_000..1_796_425_200_000).contains(&request.opened_at.as_millis());
        let terms = request.verdict.as_deref().and_then(|verdict| verdict.terms.as_ref());
        let takes =
            terms.map_or(0, |terms| terms.stages.iter().flat_map(|s| &s.groups).map(|g| g.count).sum());
        lone += i64::from(thin && takes == 2 && had_a_card(desk, request).await?);
    }
    ensure!(
        tried.code == 0 && tried.replay["changes"] == json!([]),
        "verdicts are the same: {:#}",
        tried.replay
    );
    let unanswerable = (tried.count("before", "unanswerable")?, tried.count("after", "unanswerable")?);
    ensure!(unanswerable == (0, lone) && lone > 3, "{unanswerable:?} {lone}");
    ensure!(tried.cards_of("after", "chen") < tried.cards_of("before", "chen"));

    // What happened lately was not looked at in the days of the second version; the first one looks at it.
    let own = loads(desk, OTHER).await?;
    let own = own.iter().find(|load| load.own.is_some()).context("a file of its own")?;
    let days_of_second = (own.at, days.until);
    let second: Vec<&Approval> = days.between(days_of_second.0, days_of_second.1).collect();
    let lately = |request: &Approval| {
        let call = &request.proposal.call;
        let hour = Ttl::from_mins(60);
        let before = days.requests.iter().filter(|other| {
            other.id < request.id
                && other.opened_at >= request.opened_at - hour
                && other.tenant == request.tenant
        });
        match call.tool.as_str() {
            "read_file" => before.filter(|other| other.proposal.call.tool == call.tool).count() >= 3,
            "delete_file" => before.filter(|other| other.digest == request.digest).any(|other| {
                matches!(&other.state, State::Rejected(no) if matches!(no.by, RejectedBy::Votes { .. }))
            }),
            "pay" => paid(request).is_some_and(|amount| (50.0..100.0).contains(&amount)),
            _ => false,
        }
    };
    let expected: Vec<&Approval> = second.iter().copied().filter(|request| lately(request)).collect();
    for tool in ["read_file", "delete_file", "pay"] {
        ensure!(expected.iter().any(|request| request.proposal.call.tool.as_str() == tool), "no {tool}");
    }
    std::fs::write(desk.folder().join("first.toml"), &loose.text)?;
    let files = ["--policy", "first.toml", "--tenant", "acme=acme.toml", "--tenant", "globex=globex.toml"];
    let (code, told) = replays_files(desk, days_of_second, &files)?;
    let changes = told["replay"]["changes"].as_array().context("changes")?;
    ensure!(code == 1 && ids(changes) == ids_of(&expected), "{:?}\n{:?}", ids(changes), ids_of(&expected));

    // As people read it.
    let told = replays(desk, week, &["--policy", "new.toml", "--tenant", "acme=acme.toml"])?;
    let sums = format!(
        "{} calls judged again; 0 verdicts change: 0 in a stricter tier, 0 in a laxer one",
        of_week.len()
    );
    ensure!(told.code == 0 && told.out.contains(&sums), "{}", told.out);
    ensure!(told.out.contains(&format!("{lone} that nobody could answer")), "{}", told.out);
    ensure!(told.out.contains("  Bo: ") && told.out.contains("cards a day"), "{}", told.out);

    // What is wrong with the policy is 1, and what cannot be done as it was written is 2.
    std::fs::write(
        desk.folder().join("new.toml"),
        loose.text.replacen("level = \"low\"", "level = \"lwo\"", 1),
    )?;
    let (code, told) = replays_files(desk, week, &["--policy", "new.toml"])?;
    ensure!(code == 1 && told["taken"] == false && told["diagnostics"][0]["line"].is_u64(), "{told}");
    let nowhere = replays(desk, week, &["--policy", "nowhere.toml"])?;
    ensure!(nowhere.code == 2 && nowhere.notes.contains("nowhere.toml cannot be read"), "{nowhere:?}");
    let arguments = ["policy", "replay", "--config", "placet.toml", "--until", "yesterday"];
    let never = desk.commands(PROGRAM, &arguments)?;
    ensure!(never.code == 2 && never.notes.contains("`yesterday` in --until is no time"), "{never:?}");
    Ok(())
}
