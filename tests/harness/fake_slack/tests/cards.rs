//! The adapter's cards against the fake's own copy of Slack's rules: whatever stands in them, Slack takes them as they
//! are, and nothing of an agent's becomes active.

use std::sync::Arc;

use placet::approval::state::{Rejected, Waiting};
use placet::approval::{Approval, Evidence, Proposal, RejectedBy, Requester, State};
use placet::call::{CanonicalArgs, PolicyDigest, ToolCall};
use placet::card::{CardView, Redactor};
use placet::id::{
    AgentId, AttemptId, CredentialId, RequestId, Role, ShortCode, SurfaceName, TenantId, ToolName,
};
use placet::policy::{Group, Level, Place, PolicyVersion, RuleHit, Stage, Terms, Tier, Verdict};
use placet::ports::Surface;
use placet::text::Language;
use placet::time::{Timestamp, Ttl};
use placet_slack::api::{ApiSettings, SlackApi};
use placet_slack::identity::Home;
use placet_slack::{Slack, SlackSettings};
use proptest::prelude::*;
use secrecy::SecretString;

use super::*;
use crate::clock::ManualClock;
use crate::entropy::Seeded;

const HOSTILE: &str = "<!channel> <@U0EVIL> <!subteam^S1|all> <#C1> <https://evil.example|Approve> \
    https://evil.example [ok](https://evil.example) `x` ```y``` *b* _i_ ~s~ :tada: &lt;!here&gt; <!date^1^{date}|now> \
    zero\u{200b}width \u{202e}txt.exe\u{202c} p\u{430}ypal \u{e000}1800000000\u{e001} a\nb\tc\" \\";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_793_520_000 + secs)
}

fn terms() -> Terms {
    Terms {
        stages: vec![Stage { groups: vec![Group { role: Role::new("admin").unwrap(), count: 1 }] }],
        decide_within: Ttl::from_mins(30),
        valid_for: Ttl::from_mins(10),
        alarm_after: Ttl::from_mins(10),
        requester_may_approve: true,
        reason_for_yes: false,
        reason_for_no: false,
        denials_to_reject: 1,
        partial_view_may_approve: false,
        approve_on_timeout: false,
        places: Vec::new(),
        ..Terms::one_of(Role::new("admin").unwrap())
    }
}

/// A request with this text in every field, waiting and denied.
fn requests(text: &str) -> [CardView; 2] {
    let args = json!({ "path": text, "more": { "nested": [text, 1, null] } }).to_string();
    let piece =
        Evidence { id: "e".into(), title: text.into(), uri: Some(text.into()), excerpt: Some(text.into()) };
    let proposal = Proposal {
        call: ToolCall {
            agent: AgentId::new("agent").unwrap(),
            server: None,
            tool: ToolName::new("<!here>_tool").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(args.as_bytes()).unwrap(),
            preconditions: Default::default(),
        },
        requester: Requester {
            credential: CredentialId::new("agent-1").unwrap(),
            identities: Vec::new(),
            shown_as: text.into(),
        },
        run: None,
        session: None,
        task: text.into(),
        reason: text.into(),
        evidence: vec![piece; 4],
        preview: Some(text.into()),
        if_denied: Some(text.into()),
        prompt_version: None,
        place: None,
        timeout: None,
        follows: None,
        thread: None,
        ask_again: false,
        edited: None,
        takes_no_questions: false,
        asked_in: None,
    };
    let id = RequestId::mint(at(0), &*Seeded::new(7));
    let tenant = TenantId::new("acme").unwrap();
    let opened = Approval::propose(id, &tenant, ShortCode::of(id, 0), Arc::new(proposal), at(0));
    let (mut waiting, _) = opened.into_parts();
    waiting.verdict = Some(Arc::new(Verdict {
        tier: Tier::Approve,
        level: Level::Critical,
        rules: vec![RuleHit::new("rule", text)],
        policy: PolicyVersion { label: "test".into(), digest: PolicyDigest::of(b"") },
        terms: Some(terms()),
        title: None,
        effect: Some(text.into()),
        leading_args: Vec::new(),
        figures: Vec::new(),
        always_ask: false,
        remember: None,
        shadow: None,
        confidential: None,
        circumstances: None,
    }));
    waiting.state = State::WaitingApproval(Waiting {
        gathers_until: None,
        since: at(0),
        until: at(1_800),
        alarm_at: at(600),
        questions: Vec::new(),
        looking: Vec::new(),
        reminders: 0,
    });
    let by = RejectedBy::Policy { because: text.into() };
    let denied = Approval { state: State::Rejected(Rejected { by, at: at(9) }), ..waiting.clone() };
    [waiting, denied].map(|approval| CardView::of(&approval, &Redactor::new()))
}

fn surface(slack: &FakeSlack) -> Slack {
    let settings = ApiSettings::new(slack.base_url().parse().unwrap(), SecretString::from(TOKEN));
    let settings_of_slack = SlackSettings {
        name: SurfaceName::new("slack").unwrap(),
        tenant: TenantId::new("acme").unwrap(),
        home: Home { team_id: TEAM_ID.into(), enterprise_id: None },
        default_channel: slack.channel("#ops"),
        ops_channel: None,
        language: Language::English,
        languages: std::collections::BTreeMap::new(),
        post_interval: Ttl::ZERO,
    };
    Slack::new(settings_of_slack, SlackApi::new(settings).unwrap(), ManualClock::new())
}

async fn taken(slack: &FakeSlack, text: &str) {
    let surface = surface(slack);
    let place = Place { surface: surface.name().clone(), channel: String::new(), thread: None };
    let attempt = AttemptId::mint(at(0), &*Seeded::new(1));
    let [waiting, denied] = requests(text);
    let before = slack.calls().len();
    let posted = surface.post(&place, &waiting, attempt).await.unwrap();
    let shown = slack.message(&posted.channel, &posted.id).unwrap();
    assert_eq!(active_markup(&shown), [""; 0]);
    let labels: Vec<String> = buttons(&shown).into_iter().map(|button| button.text).collect();
    assert_eq!(labels.contains(&"Approve".to_owned()), surface.shows_all(&waiting), "{labels:?}");
    surface.edit(&posted, &denied).await.unwrap();
    let shown = slack.message(&posted.channel, &posted.id).unwrap();
    assert_eq!(active_markup(&shown), [""; 0]);
    assert_eq!(buttons(&shown), []);
    assert_eq!(slack.calls().len(), before + 2, "Slack takes the usual form at once");
}

/// R28: 10 KB with everything hostile in every field.
#[tokio::test]
async fn hostile_cards_are_taken_as_they_are() {
    let caller = caller().await;
    for times in [1, 3, 10_240 / HOSTILE.len() + 1] {
        taken(&caller.slack, &HOSTILE.repeat(times)).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn any_card_is_taken_as_it_is(
        text in "(\\PC|[<>&!@#|`*_~\n\t\u{200b}\u{202e}\u{e000}\u{1F600}\"\\\\]){1,80}",
        times in prop_oneof![Just(1_usize), Just(4), Just(12)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { taken(&caller().await.slack, &text.repeat(times)).await });
    }
}
