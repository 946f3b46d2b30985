//! R47: credentials are made, listed, expire and are revoked; their tokens are shown once.

use placet::policy::{Policy, PolicySet};
use placet::ports::{Clock as _, CredentialStore as _};
use placet::record::EventKind;
use placet_store::{Access, Location, Options, SqliteStore};

use super::{shared, tenant};
use crate::commands::token::{Expiry, Registrar, Wish};
use crate::{OsEntropy, Policies, SystemClock, all_events};
use placet::id::{AgentId, CredentialId};
use placet::ports::store::Scope;
use placet::time::Ttl;

const TEAM: &str =
    "version = \"t\"\n[[people]]\nid = \"bo\"\nname = \"Bo\"\nroles = [\"admin\"]\nterminal = [\"bo\"]\n";

fn store(location: Location) -> SqliteStore {
    let options = Options::new(shared(SystemClock), shared(OsEntropy)).with_access(Access::Command);
    SqliteStore::open(location, options).unwrap()
}

fn registrar<'a>(store: &'a SqliteStore, policies: &'a PolicySet) -> Registrar<'a> {
    Registrar { store, clock: &SystemClock, entropy: &OsEntropy, policies, tenant: None }
}

fn wish(name: &str, scopes: &[Scope]) -> Wish {
    Wish {
        name: CredentialId::new(name).unwrap(),
        tenant: Some(tenant("acme")),
        agent: Some(AgentId::new("bot").unwrap()),
        scopes: scopes.to_vec(),
        expires: Expiry::After(Ttl::from_mins(60)),
        acts_for_others: false,
    }
}

async fn refusal(registrar: &Registrar<'_>, wish: Wish) -> String {
    match registrar.create(wish).await {
        Ok(_) => panic!("it was made"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_credential_lives_from_create_to_revoke() {
    let store = store(Location::Memory);
    let policies = Policies::alone(TEAM, "p.toml").unwrap().set;
    let registrar = registrar(&store, &policies);
    let made = registrar.create(wish("ci-bot", &[Scope::Execute, Scope::Propose])).await.unwrap();
    assert!(made.token.starts_with("plt_") && made.token.len() == 47);
    let row = store.credential(placet_http::token_hash(&made.token)).await.unwrap().unwrap();
    assert!(row.may(Scope::Propose) && row.may(Scope::Execute) && !row.may(Scope::Decide));
    let now = SystemClock.now();
    assert!(row.is_valid(now) && !row.is_valid(now + Ttl::from_mins(61)), "it expires");
    assert!(!format!("{row:?}").contains(&made.token[4..]), "only the hash is kept");

    let again = refusal(&registrar, wish("ci-bot", &[Scope::Audit])).await;
    assert!(again.contains("never given twice"), "{again}");
    let table = registrar.list(None).await.unwrap();
    assert!(
        table.contains("ci-bot") && table.contains("propose,execute") && table.contains("valid"),
        "{table}"
    );
    assert!(!table.contains(&made.token));

    registrar.revoke(&made.name).await.unwrap();
    let row = store.credential(placet_http::token_hash(&made.token)).await.unwrap().unwrap();
    assert!(!row.is_valid(SystemClock.now()));
    assert!(registrar.list(Some(&tenant("acme"))).await.unwrap().contains("revoked"));
    assert!(!registrar.list(Some(&tenant("other"))).await.unwrap().contains("ci-bot"));
    let unknown = registrar.revoke(&CredentialId::new("nobody").unwrap()).await.unwrap_err().to_string();
    assert!(unknown.contains("there is no credential nobody"));
    let taken = refusal(&registrar, wish("ci-bot", &[Scope::Audit])).await;
    assert!(taken.contains("or was"), "{taken}");

    let kinds = all_events(&store, None, &[]).await.unwrap();
    let kinds: Vec<&str> = kinds.iter().map(|(_, event)| event.kind.name()).collect();
    assert_eq!(kinds, ["credential.created", "credential.revoked"]);
}

#[tokio::test]
async fn who_asks_must_not_answer_but_in_the_solo_profile() {
    let store = store(Location::Memory);
    let team = Policies::alone(TEAM, "p.toml").unwrap().set;
    let solo = PolicySet::alone(Policy::builtin().unwrap());
    let both = || wish("both", &[Scope::Propose, Scope::Decide]);
    let of = |policies| registrar(&store, policies);
    let told = refusal(&of(&team), both()).await;
    assert!(told.contains("exclude each other"), "{told}");
    assert!(of(&solo).create(both()).await.is_ok());
    let told = refusal(&of(&team), Wish { tenant: None, ..wish("a", &[Scope::Audit]) }).await;
    assert!(told.contains("--tenant"), "{told}");
    let told = refusal(&of(&team), Wish { acts_for_others: true, ..wish("a", &[Scope::Audit]) }).await;
    assert!(told.contains("--acts-for-others"), "{told}");
}

#[tokio::test]
async fn the_policy_is_noted_once_for_each_text() {
    let store = store(Location::Memory);
    let team = Policies::alone(TEAM, "p.toml").unwrap();
    let solo = Policies::alone(Policy::builtin_text(), "builtin").unwrap();
    for policies in [&team, &team, &solo, &team] {
        crate::note_policies(&store, policies, "a test", [tenant("acme"), tenant("other")]).await.unwrap();
    }
    let events = all_events(&store, Some(&tenant("acme")), &["policy.loaded"]).await.unwrap();
    let labels: Vec<String> = events
        .into_iter()
        .filter_map(|(_, event)| match event.kind {
            EventKind::PolicyLoaded { label, .. } => Some(label),
            _ => None,
        })
        .collect();
    assert_eq!(labels, ["t", "builtin", "t"]);
}
