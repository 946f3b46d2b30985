//! Votes: who counts, when, and for what.

use super::fixtures::*;
use crate::approval::*;
use crate::person::{NoStanding, Standing};

fn two_admins() -> Life {
    Life::waiting(terms(vec![vec![group("admin", 2)]]))
}

/// R18: m of n distinct people; one person with two accounts is one.
#[test]
fn two_people_are_two_people() {
    let life = two_admins();
    let (bo, bo_again) = (life.yes("UBO"), life.yes("UBO2"));
    let life = life.then(&bo, 10);
    assert_eq!(life.refuses(&bo_again, 11), Refusal::AlreadyVoted { decision: Decision::Approve });
    let chen = life.yes("UCHEN");
    assert_eq!(life.then(&chen, 12).now.status(), Status::Approved);
}

/// R18: the requester's own vote does not count, by whatever account.
#[test]
fn who_asks_does_not_decide() {
    let life = two_admins();
    assert_eq!(life.refuses(&life.yes("UANA"), 10), Refusal::OwnRequest);
    let mut own = terms(vec![vec![group("admin", 1)]]);
    own.requester_may_approve = true;
    let solo = Life::waiting(own);
    let yes = solo.yes("UANA");
    assert_eq!(solo.then(&yes, 10).now.status(), Status::Approved);
}

/// R18: stages in order; a yes from the second stage's people waits for its turn, a no does not.
#[test]
fn stages_come_in_order() {
    let life = Life::waiting(terms(vec![vec![group("admin", 1)], vec![group("finance", 1)]]));
    let mut only_finance = facts(at(10));
    if let Some(Standing::Member(fay)) = only_finance.electorate.standings.get_mut(&account("UFAY")) {
        fay.roles.remove(&role("admin"));
    }
    let early = life.now.decide(&life.yes("UFAY"), &only_finance, at(10)).unwrap_err();
    assert_eq!(early, Refusal::WrongRole { needs: vec![role("admin")] });
    let no = life.now.decide(&life.no("UFAY"), &only_finance, at(10)).unwrap();
    assert_eq!(no.next().status(), Status::Rejected);
    let bo = life.yes("UBO");
    let life = life.then(&bo, 11);
    assert_eq!(life.now.status(), Status::WaitingApproval);
    assert_eq!(life.refuses(&life.yes("UCHEN"), 12), Refusal::WrongRole { needs: vec![role("finance")] });
    let fay = life.yes("UFAY");
    assert_eq!(life.then(&fay, 13).now.status(), Status::Approved);
}

/// Card rule: a yes counts only from somebody to whom the whole call was rendered.
#[test]
fn a_yes_needs_the_whole_seen() {
    let life = two_admins();
    let mut blind = life.ballot("UBO", Decision::Approve);
    blind.shown = None;
    assert_eq!(life.refuses(&Command::Vote(blind.clone()), 10), Refusal::NotShownInFull);
    blind.shown = Some(crate::call::ShownDigest::of(b"something else"));
    assert_eq!(life.refuses(&Command::Vote(blind.clone()), 10), Refusal::NotShownInFull);
    let private =
        Rendering { viewer: Some(account("UCHEN")), shown: blind.shown.unwrap(), ..life.rendering() };
    let life = life.then(&Command::Show(private), 10);
    assert_eq!(life.refuses(&Command::Vote(blind.clone()), 11), Refusal::NotShownInFull, "another's Details");
    let partial = Rendering { full: false, shown: blind.shown.unwrap(), ..life.rendering() };
    let life = life.then(&Command::Show(partial), 11);
    assert_eq!(life.refuses(&Command::Vote(blind.clone()), 12), Refusal::NotShownInFull);
    blind.decision = Decision::Deny;
    assert_eq!(life.then(&Command::Vote(blind), 13).now.status(), Status::Rejected, "a no needs no reading");
}

/// R17: roles and accounts are looked at again at the decision and at the claim, for every vote.
#[test]
fn votes_lapse_with_what_made_them_count() {
    let life = two_admins();
    let bo = life.yes("UBO");
    let life = life.then(&bo, 10);
    let mut later = facts(at(20));
    later.electorate.standings.insert(account("UBO"), Standing::None(NoStanding::Deactivated));
    let second = life.now.decide(&life.yes("UCHEN"), &later, at(20)).unwrap();
    assert_eq!(second.next().status(), Status::WaitingApproval, "one of the two no longer counts");
    assert_eq!(second.next().votes.len(), 1);

    let approved = Life::approved();
    let mut later = facts(at(65));
    later.electorate.standings.insert(account("UBO"), Standing::None(NoStanding::Deactivated));
    let refusal = approved.now.decide(&approved.claim("k"), &later, at(65)).unwrap_err();
    assert_eq!(refusal, Refusal::ApproverLapsed { names: vec!["bo".into()] });
}

/// A surface that cannot tell costs nobody their vote, and is no yes.
#[test]
fn unreadable_accounts_decide_nothing() {
    let life = two_admins();
    let bo = life.yes("UBO");
    let life = life.then(&bo, 10);
    let mut dark = facts(at(20));
    let unreadable = NoStanding::Unreadable("users.info did not answer".into());
    dark.electorate.standings.insert(account("UBO"), Standing::None(unreadable.clone()));
    assert_eq!(
        life.now.decide(&life.yes("UCHEN"), &dark, at(20)).unwrap_err(),
        Refusal::NoStanding(unreadable)
    );
    let mut old = facts(at(20));
    old.electorate.as_of = at(-41);
    let mut future = facts(at(20));
    future.electorate.as_of = at(21);
    assert_eq!(life.now.decide(&life.yes("UCHEN"), &future, at(20)).unwrap_err(), Refusal::FactsStale);
    assert_eq!(life.now.decide(&life.yes("UCHEN"), &old, at(20)).unwrap_err(), Refusal::FactsStale);
    let mut gap = facts(at(20));
    gap.electorate.standings.remove(&account("UBO"));
    assert_eq!(life.now.decide(&life.yes("UCHEN"), &gap, at(20)).unwrap_err(), Refusal::FactsStale);
}

/// A change of mind: the later word of a person counts, until the decision.
#[test]
fn people_may_change_their_minds() {
    let life = two_admins();
    let bo = life.yes("UBO");
    let life = life.then(&bo, 10).then(&Command::TakeBack { identity: account("UBO2") }, 11);
    assert!(life.now.votes.is_empty());
    assert_eq!(life.refuses(&Command::TakeBack { identity: account("UBO") }, 12), Refusal::NoVote);
    let (yes, no) = (life.yes("UBO"), life.no("UBO2"));
    let life = life.then(&yes, 13).then(&no, 14);
    assert_eq!(life.now.status(), Status::Rejected);
}

/// R16: where the policy wants to be surer that a vote is the person's own, one that is less sure counts for nothing. Of a no
/// it wants what it says of that apart.
#[test]
fn a_vote_needs_the_assurance_that_the_policy_wants() {
    let sure = |assurance| crate::policy::Terms { assurance, ..terms(vec![vec![group("admin", 1)]]) };
    let surely = |assurance| crate::policy::Terms { assurance_for_no: assurance, ..sure(assurance) };
    let life = Life::waiting(sure(Assurance::E2eeTofu));
    let low = Refusal::LowAssurance { needs: Assurance::E2eeTofu };
    assert_eq!(life.refuses(&life.yes("UBO"), 10), low);
    let both = Life::waiting(surely(Assurance::E2eeTofu));
    assert_eq!(both.refuses(&both.no("UBO"), 10), low, "a no that anybody could have sent as well");
    assert!(low.is_bypass());
    let ballot = Ballot { assurance: Assurance::E2eePinned, ..life.ballot("UBO", Decision::Approve) };
    assert_eq!(life.then(&Command::Vote(ballot), 11).now.status(), Status::Approved);
    let life = Life::waiting(sure(Assurance::E2eeTofu));
    let no = life.no("UBO");
    assert_eq!(life.then(&no, 10).now.status(), Status::Rejected, "a no that somebody forged runs nothing");
    let signed = Life::waiting(sure(Assurance::Signed));
    let bo = signed.yes("UBO");
    assert_eq!(signed.then(&bo, 10).now.status(), Status::Approved);
}

/// R35: refusals are recorded, once a minute per account and kind, bypass attempts by their own name.
#[test]
fn refusals_are_recorded_and_coalesced() {
    let life = two_admins();
    let vic = life.yes("UVIC");
    let refusal = life.refuses(&vic, 10);
    assert!(refusal.is_bypass());
    let once = life.now.refuse(&vic, &refusal, at(10)).unwrap();
    assert_eq!(once.events()[0].kind.name(), "approval.bypassed_blocked");
    assert!(once.next().refuse(&vic, &refusal, at(69)).is_none());
    assert!(once.next().refuse(&vic, &refusal, at(70)).is_some());
}

/// R18: whoever decides a stage first, people enough are people enough: who could do either moves to where they are
/// needed, and nobody counts twice.
#[test]
fn no_order_of_votes_blocks_the_rest() {
    let orders = [["UFAY", "UBO", "UCHEN"], ["UBO", "UFAY", "UCHEN"], ["UBO", "UCHEN", "UFAY"]];
    for order in orders {
        // First one admin, then one admin and one of finance; Fay is both.
        let mut life =
            Life::waiting(terms(vec![vec![group("admin", 1)], vec![group("admin", 1), group("finance", 1)]]));
        for user in order {
            assert_eq!(life.now.status(), Status::WaitingApproval, "{order:?}");
            let yes = life.yes(user);
            life = life.then(&yes, 10);
        }
        assert_eq!(life.now.status(), Status::Approved, "{order:?}");
    }
    // Who would help nobody is not asked.
    let life = Life::waiting(terms(vec![vec![group("operator", 1)], vec![group("finance", 1)]]));
    let sam = life.yes("USAM");
    let life = life.then(&sam, 10);
    assert_eq!(life.refuses(&life.yes("UBO"), 11), Refusal::WrongRole { needs: vec![role("finance")] });
}
