//! Two tenants of one installation, each with a policy of its own on top of the same.

mod files;
mod tightens;

use anyhow::{Context as _, Result, ensure};
use axum::http::Method;
use placet::ports::{RequestStore as _, Scope};
use placet_tests::desk::TENANT;
use placet_tests::http::{Answer, Ask};
use placet_tests::{Call, Desk, conversation};
use serde_json::{Value, json};

/// An id that no request, stop or remembered yes ever had.
const NOWHERE: &str = "0190f3c2-5d5e-7c3a-9b1e-3f2a4c5d6e7f";

/// The other tenant; the desk's own is the first.
const OTHER: &str = "globex";

/// The first tenant is stricter than the installation, and has a keeper of its own.
const ACME: &str = r#"version = "acme-1"

[[forbid]]
name = "shops stay"
tools = ["close_shop"]
because = "Shops are closed by the sales team."

[[rule]]
name = "customers"
tools = ["get_customer"]
level = "high"
role = "keeper"
because = "A keeper looks at every customer."

[[people]]
id = "acme-kim"
name = "Kim"
roles = ["keeper"]
slack = ["T0FAKE0001/U000000KIM"]
credentials = ["kim-console"]
"#;

/// The other one adds people, and a rule that is laxer than one of the installation's that is fixed.
const GLOBEX: &str = r#"version = "globex-1"

[[rule]]
name = "deploys are easy here"
tools = ["deploy"]
level = "low"
because = "We deploy ten times a day."

[[people]]
id = "globex-gil"
name = "Gil"
roles = ["admin"]
credentials = ["gil-console"]

[[people]]
id = "globex-gus"
name = "Gus"
roles = ["admin"]
credentials = ["gus-console"]
"#;

/// What the installation fixes: what is critical, and that deployments are.
fn fixed(policy: String) -> String {
    let policy = policy.replacen("[levels.critical]\n", "[levels.critical]\nfixed = true\n", 1);
    let policy = policy.replacen("name = \"deploys\"\n", "name = \"deploys\"\nfixed = true\n", 1);
    policy.replacen(
        "[levels.high]\ntier = \"approve\"\n",
        "[levels.high]\ntier = \"approve\"\nremember = \"1h\"\nmay_edit = true\n",
        1,
    )
}

/// Both tenants, with an agent and people of their own.
async fn two_tenants(desk: &Desk) -> Result<()> {
    ensure!(desk.slack().person("kim") == "U000000KIM", "the fake's user ids are not as the policy has them");
    desk.has_policy(fixed).await?;
    desk.has_tenant_policies(&[(TENANT, ACME), (OTHER, GLOBEX)]).await?;
    desk.has_credential("kim-console", TENANT, &[Scope::Decide]).await?;
    desk.has_credential("globex-agent", OTHER, &[Scope::Propose, Scope::Execute]).await?;
    for name in ["gil-console", "gus-console"] {
        desk.has_credential(name, OTHER, &[Scope::Decide]).await?;
    }
    desk.has_credential("globex-audit", OTHER, &[Scope::Audit]).await?;
    desk.has_credential("globex-manager", OTHER, &[Scope::Manage]).await
}

fn delete(path: &str) -> Value {
    json!({
        "tool": "delete_file",
        "args": {"path": path},
        "session": "session-1",
        "task": "clean up",
        "reason": "nobody needs it",
    })
}

/// What a tenant's auditor reads of its policy.
async fn policy_of(desk: &Desk, auditor: &str) -> Result<Value> {
    desk.holder(auditor).get("/v1/policy").await?.expect(200)?.json()
}

async fn status(desk: &Desk, agent: &str, call: &Call) -> Result<Value> {
    Ok(desk.holder(agent).reads(&call.id).await?.expect(200)?.json()?["status"].clone())
}

/// R19: the same call is asked about in one tenant and runs at once in the other; what the one forbids the other is asked
/// about; who decides in the one is nobody in the other; and neither sees a card of the other.
#[conversation]
async fn the_same_calls_of_two_tenants_are_judged_apart(desk: &mut Desk) -> Result<()> {
    two_tenants(desk).await?;
    let globex = desk.holder("globex-agent");

    let asked = desk.agent().proposes("get_customer", json!({"id": 7})).await?;
    let card = desk.ops().next_card().await?;
    ensure!(card.text().contains("A keeper looks at every customer."), "{}", card.text());
    let at_once = globex.proposes("get_customer", json!({"id": 7})).await?;
    globex.runs(&at_once).await?;
    desk.person("bo").clicks(&card, "Approve").await?;
    desk.person("bo").is_whispered("keeper").await?;
    desk.person("kim").clicks(&card, "Approve").await?;
    desk.ops().expect_update(&card, "Approved").await?;

    let forbidden = desk.agent().proposes("close_shop", json!({"shop": "north"})).await?;
    let told = desk.agent().reads(&forbidden.id).await?.text();
    ensure!(told.contains("denied by policy: Shops are closed by the sales team."), "{told}");
    let theirs = globex.proposes("close_shop", json!({"shop": "north"})).await?;
    ensure!(status(desk, "globex-agent", &theirs).await? == "waiting_approval");
    let shown = desk.holder("gil-console").looks_at(&theirs).await?;
    ensure!(!shown.to_string().contains("Kim") && !shown.to_string().contains("sales team"), "{shown}");
    let stranger = desk.holder("kim-console").approves_with(&asked, json!({})).await;
    ensure!(stranger?.status == 404, "it is decided");
    desk.holder("gil-console").approves(&theirs).await?;
    globex.runs(&theirs).await?;

    // What the installation has fixed stays so, whatever the tenant's own rule says.
    let deploy = globex.proposes("deploy", json!({"app": "api"})).await?;
    let request = desk.store()?.load(&OTHER.parse()?, deploy.id.parse()?).await?;
    let verdict = request.verdict.context("a verdict")?;
    ensure!(verdict.level == placet::policy::Level::Critical, "{verdict:?}");
    desk.holder("gil-console").approves(&deploy).await?;
    ensure!(status(desk, "globex-agent", &deploy).await? == "waiting_approval", "two people, as is fixed");
    desk.holder("gus-console").approves(&deploy).await?;
    globex.runs(&deploy).await?;

    // The first tenant's channel had its own card, and no other.
    desk.work_until_idle().await?;
    ensure!(desk.ops().messages().len() == 1, "the other tenant's calls are no cards here");
    for (auditor, own, other) in [("audit", "Kim", "Gil"), ("globex-audit", "Gil", "Kim")] {
        let decided = desk.holder(auditor).get("/approvals").await?.expect(200)?.text();
        ensure!(decided.contains(own) && !decided.contains(other), "{decided}");
        let policy = policy_of(desk, auditor).await?["text"].to_string();
        ensure!(policy.contains(own) && !policy.contains(other), "{policy}");
        let foreign = policy_of(desk, if auditor == "audit" { "globex-audit" } else { "audit" }).await?;
        let digest = foreign["digest"].as_str().context("a digest")?;
        let read = desk.holder(auditor).get(&format!("/v1/policy/{digest}")).await?;
        let none = desk.holder(auditor).get(&format!("/v1/policy/{}", "0".repeat(64))).await?;
        ensure!(read.status == 404 && same(&read, &none), "{}", read.text());
    }
    desk.agent().runs(&asked).await?;
    desk.ops().expect_update(&card, "Kim").await?;
    desk.reads(&at_once.id, "proposed; checked auto; claimed; succeeded").await?;
    desk.reads(&forbidden.id, "proposed; checked forbid; rejected").await
}

/// Whether two answers tell the same, byte for byte.
fn same(one: &Answer, other: &Answer) -> bool {
    one.status == other.status && one.body == other.body && one.headers == other.headers
}

/// R19: whatever is done to a request, a stop or a remembered yes of another tenant is answered as if it never was, and
/// changes nothing.
#[conversation]
async fn what_is_another_tenants_was_never_there(desk: &mut Desk) -> Result<()> {
    two_tenants(desk).await?;
    let waiting = desk.agent().proposes_with("1", delete("demo-notes/a.txt")).await?;
    let first = desk.ops().next_card().await?;
    let approved = desk.agent().proposes_with("2", delete("demo-notes/b.txt")).await?;
    let second = desk.ops().next_card().await?;
    let bo = desk.holder("bo-console");
    bo.approves_with(&approved, json!({"remember": true})).await?.expect(200)?;
    let stop = json!({"scope": "tool", "name": "send_mail", "reason": "it leaks"});
    let stop = desk.holder("manager").stops(stop).await?;
    let _ = desk.alarms().next_card().await?;
    desk.work_until_idle().await?;
    let before = standing(desk, &[&waiting, &approved]).await?;

    let key = "k".repeat(40);
    let claim = json!({"tool": "delete_file", "args": {"path": "demo-notes/b.txt"}, "key": key});
    let holder = json!({"claim": NOWHERE, "key": key});
    let outcome = json!({"claim": NOWHERE, "key": key, "status": "failed"});
    let asks = [
        ("globex-agent", Method::GET, "", Value::Null),
        ("gil-console", Method::GET, "?view=card", Value::Null),
        ("globex-agent", Method::DELETE, "", Value::Null),
        ("globex-agent", Method::POST, "/claim", claim),
        ("globex-agent", Method::POST, "/heartbeat", holder),
        ("globex-agent", Method::POST, "/outcome", outcome),
        ("gil-console", Method::POST, "/edit", json!({"args": {"path": "c.txt"}})),
        ("gil-console", Method::POST, "/break-glass", json!({"reason": "it burns"})),
        ("gil-console", Method::POST, "/review", json!({})),
        ("gil-console", Method::POST, "/take-back", json!({})),
        ("globex-manager", Method::POST, "/revoke", json!({})),
        ("globex-manager", Method::POST, "/settle", json!({"status": "failed", "reason": "it is over"})),
    ];
    for (who, method, path, body) in asks {
        let ask = async |id: &str| -> Result<Answer> {
            let ask =
                Ask::new(method.clone(), format!("/v1/requests/{id}{path}")).token(&desk.token(who)?)?;
            desk.sends(if body.is_null() { ask } else { ask.json(&body)? }).await
        };
        let none = ask(NOWHERE).await?;
        for call in [&waiting, &approved] {
            let theirs = ask(&call.id).await?;
            ensure!(theirs.status == 404 && same(&theirs, &none), "{method} {path}: {}", theirs.text());
        }
    }
    for approved in [true, false] {
        let vote = async |id: &str| {
            let body = json!({"requestId": id, "approved": approved, "reason": "r"});
            desk.holder("gil-console").post("/approvals", &body).await
        };
        let (theirs, none) = (vote(&waiting.id).await?, vote(NOWHERE).await?);
        ensure!(theirs.status == 404 && same(&theirs, &none), "{}", theirs.text());
    }
    let manager = desk.holder("globex-manager");
    for (theirs, none) in [
        (manager.lifts(&stop).await?, manager.lifts(NOWHERE).await?),
        (manager.forgets(&approved.id).await?, manager.forgets(NOWHERE).await?),
        (manager.forgets(&waiting.id).await?, manager.forgets(NOWHERE).await?),
    ] {
        ensure!(theirs.status == 404 && same(&theirs, &none), "{}", theirs.text());
    }
    let audit = desk.holder("globex-audit");
    for (path, empty) in [
        ("/v1/requests", json!({"requests": []})),
        ("/approvals", json!({"approvals": []})),
        ("/v1/stops?lifted=true", json!({"stops": []})),
        ("/v1/remembered?ended=true", json!({"remembered": []})),
    ] {
        let listed = audit.get(path).await?.expect(200)?.json()?;
        ensure!(listed == empty, "{path}: {listed}");
    }
    ensure!(standing(desk, &[&waiting, &approved]).await? == before, "nothing of it reached anything");
    let own = desk.holder("audit").get("/v1/stops").await?.expect(200)?.json()?;
    ensure!(own["stops"][0]["id"] == stop.as_str() && own["stops"][0]["stands"] == true, "{own}");
    let own = desk.holder("audit").get("/v1/remembered").await?.expect(200)?.json()?;
    ensure!(own["remembered"][0]["id"] == approved.id.as_str(), "{own}");
    ensure!(desk.blocked_in(TENANT).await? == 0, "nor is it in the record of its tenant");
    ensure!(desk.blocked_in(OTHER).await? > 0, "but in that of who tried");

    // What holds and what is remembered in the one holds and is remembered in the one alone.
    let mail = desk.holder("globex-agent").proposes("send_mail", json!({"to": "ana@example.org"})).await?;
    desk.holder("gil-console").approves(&mail).await?;
    desk.holder("globex-agent").runs(&mail).await?;
    let like = desk.holder("globex-agent").proposes_with("3", delete("demo-notes/b.txt")).await?;
    ensure!(
        status(desk, "globex-agent", &like).await? == "waiting_approval",
        "nobody here remembers anything"
    );
    let again = desk.agent().proposes_with("4", delete("demo-notes/b.txt")).await?;
    desk.agent().runs(&again).await?;
    desk.reads(&again.id, "proposed; checked approve; remembered Bo; claimed; succeeded").await?;
    desk.ops().expect_update(&second, "Approved").await?;
    ensure!(first.has_buttons());
    Ok(())
}

/// Requests as they stand, with every event of them.
async fn standing(desk: &Desk, calls: &[&Call]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for call in calls {
        all.push(format!("{:?} {:?}", desk.request(&call.id).await?, desk.events(&call.id).await?));
    }
    Ok(all)
}
