//! What accounts are worth: one person or nobody, by what was read, at one moment.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

fn identity(text: &str) -> Identity {
    text.parse().unwrap()
}

fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

fn id(name: &str) -> PersonId {
    PersonId::new(name).unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
}

fn noon() -> Timestamp {
    at("2026-11-30T12:00:00Z")
}

fn person(name: &str, roles: &[&str], identities: &[&str]) -> KnownPerson {
    KnownPerson {
        member: Member {
            person: id(name),
            name: name.to_owned(),
            roles: roles.iter().map(|name| role(name)).collect(),
            stands_in_for: Vec::new(),
        },
        identities: identities.iter().map(|text| identity(text)).collect(),
        team: None,
        away: Vec::new(),
    }
}

fn away(known: KnownPerson, stand_in: Option<&str>) -> KnownPerson {
    let (from, until) = (at("2026-11-30T00:00:00Z"), at("2026-12-01T00:00:00Z"));
    KnownPerson { away: vec![Absence { from, until, stand_in: stand_in.map(id) }], ..known }
}

/// Everybody's account is in good order.
fn rolls(people: &People) -> Rolls {
    let accounts = people.all().iter().flat_map(|known| &known.identities);
    let accounts = accounts.map(|identity| (identity.clone(), AccountState::Active)).collect();
    Rolls { accounts, ..Rolls::empty(noon()) }
}

fn members(accounts: &[&str]) -> Result<BTreeSet<Identity>, String> {
    Ok(accounts.iter().map(|text| identity(text)).collect())
}

fn group(group: &str, roles: &[&str]) -> KnownGroup {
    KnownGroup { group: identity(group), roles: roles.iter().map(|name| role(name)).collect() }
}

/// What somebody is: their id and roles, whom they stand in for; or why they are nobody.
fn told(standing: &Standing) -> String {
    match standing {
        Standing::Member(member) => {
            let roles = member.roles.iter().map(Role::as_str).collect::<Vec<_>>().join("+");
            let stands_in = match &member.stands_in_for[..] {
                [] => String::new(),
                names => format!(" for {}", names.join(", ")),
            };
            format!("{} {roles}{stands_in}", member.person)
        }
        Standing::None(NoStanding::Unreadable(why)) => format!("unreadable: {why}"),
        Standing::None(why) => format!("{why:?}"),
    }
}

/// R17: an identity that resolves to no person or to two is refused; an empty list means nobody.
#[test]
fn exactly_one_person_or_a_refusal() {
    let people = People::new(vec![
        person("bo", &["admin"], &["slack:T1/UBO", "credential/bo"]),
        person("chen", &["admin"], &["slack:T1/UCHEN", "credential/shared"]),
        person("dana", &["admin"], &["credential/shared"]),
    ]);
    let mut rolls = rolls(&people);
    rolls.accounts.insert(identity("slack:T2/UBO"), AccountState::Active);
    let standing = |text: &str| told(&people.standing(&identity(text), &rolls, noon()));
    assert_eq!(standing("slack:T1/UBO"), "bo admin");
    assert_eq!(standing("credential/bo"), "bo admin", "the same person by another account");
    assert_eq!(standing("slack:T2/UBO"), "Unknown", "another workspace's U is another");
    assert_eq!(standing("credential/shared"), "Ambiguous");
    assert_eq!(standing("credential/never"), "unreadable: credential/never was not asked about");
    let nobody = People::default();
    assert_eq!(told(&nobody.standing(&identity("slack:T1/UBO"), &rolls, noon())), "Unknown");
}

/// R17: what the surface says of an account comes first; nothing in the policy makes up for it.
#[test]
fn who_is_barred_stays_barred() {
    let people = People::new(vec![person("bo", &["admin"], &["slack:T1/UBO"])])
        .with_groups(vec![group("slack:T1/SADMINS", &["admin"])]);
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("slack:T1/SADMINS"), members(&["slack:T1/UBO"]));
    for (why, expected) in [
        (NoStanding::Deactivated, "Deactivated"),
        (NoStanding::Guest, "Guest"),
        (NoStanding::Bot, "Bot"),
        (NoStanding::Foreign, "Foreign"),
        (NoStanding::Unreadable("Slack is down".to_owned()), "unreadable: Slack is down"),
    ] {
        rolls.accounts.insert(identity("slack:T1/UBO"), AccountState::Barred(why));
        assert_eq!(told(&people.standing(&identity("slack:T1/UBO"), &rolls, noon())), expected);
    }
}

/// R17: roles come from user groups too; an account that is only in a group is a person of its own.
#[test]
fn groups_give_roles() {
    let people = People::new(vec![person("bo", &["viewer"], &["slack:T1/UBO", "console/bo"])])
        .with_groups(vec![group("slack:T1/SREL", &["releaser"]), group("slack:T1/SFIN", &["finance"])]);
    let mut rolls = rolls(&people);
    for account in ["slack:T1/UEVE", "slack:T1/UMAL"] {
        rolls.accounts.insert(identity(account), AccountState::Active);
    }
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UBO", "slack:T1/UEVE"]));
    rolls.groups.insert(identity("slack:T1/SFIN"), members(&[]));
    let standing = |text: &str, rolls: &Rolls| told(&people.standing(&identity(text), rolls, noon()));
    assert_eq!(standing("slack:T1/UBO", &rolls), "bo releaser+viewer");
    assert_eq!(standing("console/bo", &rolls), "bo releaser+viewer", "whichever account they come with");
    assert_eq!(standing("slack:T1/UEVE", &rolls), "slack:T1/UEVE releaser");
    assert_eq!(standing("slack:T1/UMAL", &rolls), "Unknown");

    let slack = identity("slack:T1/UBO");
    rolls.accounts.insert(slack, AccountState::Barred(NoStanding::Deactivated));
    assert_eq!(standing("console/bo", &rolls), "bo viewer", "a closed account is in no group");
}

/// R17: a group that cannot be read leaves nobody of its realm a vote, whatever else they are; who is known elsewhere
/// keeps their own roles.
#[test]
fn an_unreadable_group_is_never_an_empty_one() {
    let people = People::new(vec![person("bo", &["admin"], &["slack:T1/UBO", "console/bo"])])
        .with_groups(vec![group("slack:T1/SREL", &["releaser"])]);
    let mut rolls = rolls(&people);
    let standing = |text: &str, rolls: &Rolls| told(&people.standing(&identity(text), rolls, noon()));
    assert_eq!(standing("slack:T1/UBO", &rolls), "unreadable: nobody asked who is in slack:T1/SREL");
    rolls.groups.insert(identity("slack:T1/SREL"), Err("Slack does not answer".to_owned()));
    assert_eq!(
        standing("slack:T1/UBO", &rolls),
        "unreadable: who is in slack:T1/SREL: Slack does not answer"
    );
    rolls.wanted = BTreeSet::from([role("admin")]);
    assert_eq!(standing("console/bo", &rolls), "bo admin", "the console is there when Slack is down");
    rolls.wanted = BTreeSet::from([role("releaser")]);
    assert_eq!(
        standing("console/bo", &rolls),
        "unreadable: who is in slack:T1/SREL: Slack does not answer",
        "whether they have the role is not known, and that is what they are told"
    );
}

/// R17, for the surface to come: nothing reads Matrix rooms, so that no Matrix account counts where one gives roles.
#[test]
fn a_room_that_nothing_reads_leaves_its_accounts_nothing() {
    let people = People::new(vec![person("bo", &["admin"], &["matrix:example.org/@bo:example.org"])])
        .with_groups(vec![group("matrix/!ops:example.org/50", &["admin"])]);
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("matrix/!ops:example.org/50"), Err("nothing can read it".to_owned()));
    assert_eq!(
        told(&people.standing(&identity("matrix:example.org/@bo:example.org"), &rolls, noon())),
        "unreadable: who is in matrix/!ops:example.org/50: nothing can read it"
    );
}

/// R17: who is away decides nothing; who stands in for them has their roles, over others who are away too, and a
/// circle gives nobody anything.
#[test]
fn stand_ins_have_the_roles_of_who_is_away() {
    let people = People::new(vec![
        away(person("ana", &["finance"], &["slack:T1/UANA"]), Some("bo")),
        away(person("bo", &["admin"], &["slack:T1/UBO"]), Some("chen")),
        person("chen", &["operator"], &["slack:T1/UCHEN"]),
        away(person("dana", &["legal"], &["slack:T1/UDANA"]), Some("eli")),
        away(person("eli", &["sales"], &["slack:T1/UELI"]), Some("dana")),
        away(person("fay", &["owner"], &["slack:T1/UFAY"]), None),
    ]);
    let rolls = rolls(&people);
    let standing = |text: &str, now| told(&people.standing(&identity(text), &rolls, now));
    for name in ["UANA", "UBO", "UDANA", "UELI", "UFAY"] {
        assert_eq!(standing(&format!("slack:T1/{name}"), noon()), "Away", "{name}");
    }
    assert_eq!(standing("slack:T1/UCHEN", noon()), "chen admin+finance+operator for bo, ana");
    let back = at("2026-12-01T00:00:00Z");
    assert_eq!(standing("slack:T1/UCHEN", back), "chen operator");
    assert_eq!(standing("slack:T1/UANA", back), "ana finance", "the end is the first moment they are back");
    let before = at("2026-11-29T23:59:59Z");
    assert_eq!(standing("slack:T1/UBO", before), "bo admin");
}

/// R17, R40: what somebody is by a group and by being on call, their stand-in is too.
#[test]
fn stand_ins_have_roles_of_groups_and_turns_too() {
    let handover = daily("2026-11-30", "00:00", "UTC");
    let rota = OnCallSource::Rota { people: vec![id("ana")], handover };
    let people = People::new(vec![
        away(person("ana", &[], &["slack:T1/UANA"]), Some("bo")),
        person("bo", &[], &["slack:T1/UBO"]),
    ])
    .with_groups(vec![group("slack:T1/SREL", &["releaser"])])
    .with_schedules(vec![OnCallSchedule {
        name: "ops".to_owned(),
        role: role("on_call"),
        source: rota,
    }]);
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UANA"]));
    let standing = people.standing(&identity("slack:T1/UBO"), &rolls, noon());
    assert_eq!(told(&standing), "bo on_call+releaser for ana");
    let concern = people.concern(&identity("slack:T1/UBO"), &BTreeSet::from([role("releaser")]), noon());
    assert!(concern.accounts.contains(&identity("slack:T1/UANA")), "{concern:?}");
}

fn pagerduty(role_name: &str) -> OnCallSchedule {
    let source = OnCallSource::PagerDuty { escalation_policy: "PABC123".to_owned() };
    OnCallSchedule { name: "primary".to_owned(), role: role(role_name), source }
}

/// R40: whoever the schedule names is on call; a schedule that cannot be read gives nobody the role and is the reason.
#[test]
fn schedules_outside_name_people_by_their_accounts() {
    let people = People::new(vec![
        person("bo", &["viewer"], &["slack:T1/UBO", "pagerduty/PBO0001"]),
        person("chen", &["admin"], &["slack:T1/UCHEN", "email/chen@example.org"]),
        person("dana", &["viewer"], &["slack:T1/UDANA"]),
    ])
    .with_schedules(vec![pagerduty("on_call")]);
    let mut rolls = rolls(&people);
    rolls.wanted = BTreeSet::from([role("on_call"), role("admin")]);
    rolls.on_call.insert("primary".to_owned(), members(&["pagerduty/PBO0001", "email/bo@example.org"]));
    let standing = |text: &str, rolls: &Rolls| told(&people.standing(&identity(text), rolls, noon()));
    assert_eq!(standing("slack:T1/UBO", &rolls), "bo on_call+viewer");
    assert_eq!(standing("slack:T1/UCHEN", &rolls), "chen admin");
    rolls.on_call.insert("primary".to_owned(), members(&["email/chen@example.org"]));
    assert_eq!(standing("slack:T1/UBO", &rolls), "bo viewer");
    assert_eq!(standing("slack:T1/UCHEN", &rolls), "chen admin+on_call");
    rolls.on_call.insert("primary".to_owned(), Err("PagerDuty does not answer".to_owned()));
    assert_eq!(
        standing("slack:T1/UBO", &rolls),
        "unreadable: who is on call by primary: PagerDuty does not answer"
    );
    assert_eq!(standing("slack:T1/UCHEN", &rolls), "chen admin", "who may anyway still may");
    assert_eq!(standing("slack:T1/UDANA", &rolls), "dana viewer", "nobody could have named them");
}

/// R40: only what the decision asks for is read: no schedule for a request that nobody on call decides.
#[test]
fn what_is_read_is_what_matters() {
    let people = People::new(vec![
        person("bo", &[], &["slack:T1/UBO", "pagerduty/PBO0001", "credential/bo"]),
        person("dana", &[], &["slack:T1/UDANA"]),
    ])
    .with_groups(vec![group("slack:T1/SREL", &["releaser"]), group("slack:T2/SREL", &["releaser"])])
    .with_schedules(vec![pagerduty("on_call")]);
    let concern = |account: &str, wanted: &str| {
        people.concern(&identity(account), &BTreeSet::from([role(wanted)]), noon())
    };
    let by_slack = concern("slack:T1/UBO", "on_call");
    assert_eq!(by_slack.groups, BTreeSet::from([identity("slack:T1/SREL")]), "of the account's own realm");
    assert_eq!(by_slack.accounts, BTreeSet::from([identity("slack:T1/UBO")]));
    assert_eq!(by_slack.schedules.keys().collect::<Vec<_>>(), ["primary"]);
    assert_eq!(concern("slack:T1/UBO", "releaser").schedules, BTreeMap::new());
    assert_eq!(concern("slack:T1/UDANA", "on_call").schedules, BTreeMap::new(), "who cannot be named");
    let by_credential = concern("credential/bo", "releaser");
    assert_eq!(
        by_credential.accounts,
        BTreeSet::from([identity("credential/bo"), identity("slack:T1/UBO")]),
        "their account in the group must be in good order too"
    );
    assert_eq!(by_credential.groups, BTreeSet::from([identity("slack:T1/SREL")]));
    assert!(concern("credential/bo", "on_call").groups.is_empty());
}

/// R15, R17: who asks is the first account behind the request that is somebody's, with the roles they have then.
#[test]
fn who_asks_is_known_by_their_account() {
    let bo =
        KnownPerson { team: Some("billing".to_owned()), ..person("bo", &["operator"], &["slack:T1/UBO"]) };
    let people = People::new(vec![bo]).with_groups(vec![group("slack:T1/SREL", &["releaser"])]);
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UBO", "slack:T1/UEVE"]));
    let asker = |identities: &[&str]| {
        let requester = crate::approval::Requester {
            credential: crate::id::CredentialId::new("agent").unwrap(),
            identities: identities.iter().map(|text| identity(text)).collect(),
            shown_as: String::new(),
        };
        people.asker(&requester, &rolls, noon())
    };
    let bo = asker(&["credential/agent", "slack:T1/UBO"]);
    assert_eq!((bo.person, bo.team.as_deref()), (Some(id("bo")), Some("billing")));
    assert_eq!(bo.roles, BTreeSet::from([role("operator"), role("releaser")]));
    let eve = asker(&["credential/agent", "slack:T1/UEVE"]);
    assert_eq!((eve.person, eve.team), (Some(id("slack:T1/UEVE")), None));
    assert_eq!(asker(&["credential/agent"]), crate::policy::Asker::default());
}

/// R7, R15, R17: an account that is out of order says for nobody that they ask: what looks at who asks, or at their roles,
/// cannot tell, and so takes the stricter way. That of somebody else, who does not ask, changes nothing.
#[test]
fn who_asks_by_an_account_out_of_order_is_not_known() {
    let bo = KnownPerson {
        team: Some("billing".to_owned()),
        ..person("bo", &["operator"], &["slack:T1/UBO", "console/bo"])
    };
    let people = People::new(vec![bo]).with_groups(vec![group("slack:T1/SREL", &["releaser"])]);
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UEVE"]));
    let asker = |rolls: &Rolls, identities: &[&str]| {
        let requester = crate::approval::Requester {
            credential: crate::id::CredentialId::new("agent").unwrap(),
            identities: identities.iter().map(|text| identity(text)).collect(),
            shown_as: String::new(),
        };
        people.asker(&requester, rolls, noon())
    };
    let anybody = crate::policy::Asker { roles_unread: true, ..crate::policy::Asker::default() };
    let unreadable = NoStanding::Unreadable("Slack is down".to_owned());
    for why in [NoStanding::Deactivated, NoStanding::Guest, NoStanding::Bot, NoStanding::Foreign, unreadable]
    {
        for account in ["slack:T1/UBO", "slack:T1/UEVE"] {
            let mut rolls = rolls.clone();
            rolls.accounts.insert(identity(account), AccountState::Barred(why.clone()));
            assert_eq!(asker(&rolls, &["credential/agent", account]), anybody, "{account}: {why:?}");
        }
        let mut rolls = rolls.clone();
        rolls.accounts.insert(identity("slack:T1/UBO"), AccountState::Barred(why.clone()));
        let both = asker(&rolls, &["console/bo", "slack:T1/UBO"]);
        assert_eq!(both, anybody, "they ask by both: {why:?}");
        assert_eq!(asker(&rolls, &["console/bo"]).person, Some(id("bo")), "{why:?}");
        assert_eq!(asker(&rolls, &["credential/agent"]), crate::policy::Asker::default(), "{why:?}");
    }
}

/// R17: whom only a group knows is called what their account is, beside its id, which nobody can take; else by that alone.
#[test]
fn who_is_known_by_a_group_alone_has_the_best_name_there_is() {
    let people = People::new(Vec::new()).with_groups(vec![group("slack:T1/SREL", &["releaser"])]);
    let eve = identity("slack:T1/UEVE");
    let mut rolls = rolls(&people);
    rolls.accounts.insert(eve.clone(), AccountState::Active);
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UEVE"]));
    let long = "x".repeat(81);
    for (called, name) in [
        (None, "UEVE"),
        (Some("Eve"), "Eve (UEVE)"),
        (Some("Eve\nBo \t Smith"), "Eve Bo Smith (UEVE)"),
        (Some(" "), "UEVE"),
        (Some(long.as_str()), "UEVE"),
    ] {
        rolls.names = called.map(|called| (eve.clone(), called.to_owned())).into_iter().collect();
        match people.standing(&eve, &rolls, noon()) {
            Standing::Member(member) => assert_eq!(member.name, name),
            other @ Standing::None(_) => panic!("{other:?}"),
        }
    }
}

/// R7, R15: where a group or a schedule that could give whoever asks a role cannot be read, that is told; not where only
/// those of others cannot.
#[test]
fn roles_of_who_asks_that_cannot_be_read_are_told() {
    let pager = OnCallSource::PagerDuty { escalation_policy: "PABC123".to_owned() };
    let pager = OnCallSchedule { name: "pager".to_owned(), role: role("on_call"), source: pager };
    let bo = person("bo", &["operator"], &["slack:T1/UBO"]);
    let chen = person("chen", &["operator"], &["console/chen", "pagerduty/PXPGF42"]);
    let people = People::new(vec![bo, chen])
        .with_groups(vec![group("slack:T1/SREL", &["releaser"])])
        .with_schedules(vec![pager]);
    let unread = |rolls: &Rolls, account: &str| {
        let requester = crate::approval::Requester {
            credential: crate::id::CredentialId::new("agent").unwrap(),
            identities: vec![identity("credential/agent"), identity(account)],
            shown_as: String::new(),
        };
        people.asker(&requester, rolls, noon()).roles_unread
    };
    let accounts = ["slack:T1/UBO", "slack:T1/UEVE", "console/chen", "console/nobody"];
    let of_each = |rolls: &Rolls| accounts.map(|account| unread(rolls, account));
    let mut rolls = rolls(&people);
    rolls.groups.insert(identity("slack:T1/SREL"), members(&["slack:T1/UBO"]));
    rolls.on_call.insert("pager".to_owned(), members(&[]));
    assert_eq!(of_each(&rolls), [false; 4]);
    rolls.groups.insert(identity("slack:T1/SREL"), Err("Slack is down".to_owned()));
    assert_eq!(of_each(&rolls), [true, true, false, false]);
    rolls.on_call.insert("pager".to_owned(), Err("PagerDuty is down".to_owned()));
    assert_eq!(of_each(&rolls), [true, true, true, false]);
}

/// R18: whoever stands behind an account is told without what they are worth, so that who asked is barred from
/// deciding by an account that is only in a group as well.
#[test]
fn an_account_of_its_own_is_a_person_too() {
    let people = People::new(vec![person("bo", &["admin"], &["slack:T1/UBO"])]);
    assert_eq!(told(&people.behind(&identity("slack:T1/UBO"))), "bo ");
    assert_eq!(told(&people.behind(&identity("slack:T1/UEVE"))), "slack:T1/UEVE ");
}

fn daily(first: &str, time: &str, zone: &str) -> Handover {
    Handover {
        first: first.parse().unwrap(),
        at: chrono::NaiveTime::parse_from_str(time, "%H:%M").unwrap(),
        every_days: 1,
        zone: zone.to_owned(),
    }
}

/// R40: a handover at nine stays at nine over daylight saving; before the first nobody is on call.
#[test]
fn turns_change_by_the_clock_on_the_wall() {
    let people = [id("ana"), id("bo"), id("chen")];
    let weekly = Handover { every_days: 7, ..daily("2026-03-16", "09:00", "Europe/Berlin") };
    let turn = |now: &str| weekly.turn(&people, at(now)).map(PersonId::as_str);
    assert_eq!(turn("2026-03-16T07:59:59Z"), None);
    assert_eq!(turn("2026-03-16T08:00:00Z"), Some("ana"), "nine in winter");
    assert_eq!(turn("2026-03-23T07:59:59Z"), Some("ana"));
    assert_eq!(turn("2026-03-23T08:00:00Z"), Some("bo"));
    assert_eq!(turn("2026-03-30T06:59:59Z"), Some("bo"));
    assert_eq!(turn("2026-03-30T07:00:00Z"), Some("chen"), "nine in summer, an hour earlier");
    assert_eq!(turn("2026-04-06T07:00:00Z"), Some("ana"));
    assert_eq!(turn("2026-11-02T07:59:59Z"), turn("2026-10-26T08:00:00Z"), "and back in winter");
    assert_ne!(turn("2026-11-02T08:00:00Z"), turn("2026-11-02T07:59:59Z"));
}

/// R40: a time of day that comes twice hands over at the first; one that is left out, as if the clock had not moved.
#[test]
fn handovers_at_the_change_of_the_clock() {
    let people = [id("ana"), id("bo")];
    let spring = daily("2026-03-28", "02:30", "Europe/Berlin");
    let turn = |handover: &Handover, now: &str| handover.turn(&people, at(now)).unwrap().to_string();
    assert_eq!(turn(&spring, "2026-03-29T01:29:59Z"), "ana");
    assert_eq!(turn(&spring, "2026-03-29T01:30:00Z"), "bo", "there is no 02:30; by winter time it is 03:30");
    let autumn = daily("2026-10-24", "02:30", "Europe/Berlin");
    assert_eq!(turn(&autumn, "2026-10-25T00:29:59Z"), "ana");
    assert_eq!(turn(&autumn, "2026-10-25T00:30:00Z"), "bo");
    assert_eq!(turn(&autumn, "2026-10-25T01:30:00Z"), "bo", "the second 02:30 changes nothing");
    let nowhere = daily("2026-10-24", "02:30", "Mars/Olympus");
    assert_eq!(nowhere.turn(&people, noon()), None);
    assert_eq!(autumn.turn(&[], noon()), None);
}

/// R17: accounts are named exactly: by ids that their realm vouches for.
#[test]
fn accounts_are_named_exactly() {
    assert_eq!(
        Identity::matrix("@bo:example.org").unwrap().to_string(),
        "matrix:example.org/@bo:example.org"
    );
    for bad in ["bo:example.org", "@bo", "@:example.org", "@bo:", "@bo:exa/mple.org", "@b o:example.org"] {
        assert_eq!(Identity::matrix(bad), Err(IdentityError), "{bad}");
    }
    assert_eq!(Identity::email("Bo@Example.ORG").unwrap(), Identity::email("bo@example.org").unwrap());
    for bad in ["bo", "@example.org", "bo@", "bo @example.org"] {
        assert_eq!(Identity::email(bad), Err(IdentityError), "{bad}");
    }
    assert_eq!(Identity::pagerduty("PXPGF42").unwrap().to_string(), "pagerduty/PXPGF42");
    assert_eq!(Identity::pagerduty("bo"), Err(IdentityError));
}
