//! How an event becomes a leaf of the log: ids, states and times in the open; every text, argument and hash of
//! arguments only as SHA-256(32-byte salt ‖ value). Salt and value stand beside the leaf and can be dropped, so that
//! erasing a text leaves the log verifiable, and a leaf tells nothing of its neighbours.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::call::canonical::JSON_INTEGER_MAX;
use crate::id::Entropy;
use crate::record::Event;

/// Fields that are written in the open. Everything else is a commitment: a field that is added later is hidden until
/// somebody decides otherwise.
const OPEN: [&str; 26] = [
    "v",
    "tenant",
    "request",
    "at",
    "type",
    "code",
    "decision",
    "how",
    "alarm",
    "surface",
    "until",
    "alarm_at",
    "claim_until",
    "lease_until",
    "late",
    "step",
    "count",
    "leader",
    "follower",
    "scope",
    "command",
    "digest",
    "label",
    "credential",
    "scopes",
    "claim_id",
];

/// The version of the leaf's form.
const LEAF_VERSION: u32 = 1;

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The bytes that are hashed into the log: canonical JSON, kept as they are.
    pub leaf: Vec<u8>,
    /// The values behind its commitments, by field.
    pub texts: BTreeMap<String, Text>,
}

/// A value and the salt of its commitment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// 32 bytes, in hexadecimal.
    salt: String,
    /// The value, as the JSON text that was hashed.
    value: String,
}

/// Why an event could not be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The leaf is not one.
    #[error("the leaf is not readable: {0}")]
    Leaf(String),
    /// A text does not belong to its commitment: one of the two was changed.
    #[error("the text of {0} does not match the leaf")]
    Mismatch(String),
    /// A text was erased.
    #[error("the text of {0} was erased")]
    Erased(String),
}

impl Sealed {
    /// Seals an event.
    ///
    /// # Errors
    /// [`SealError::Leaf`] if it cannot be serialised, which would be a fault in its type.
    pub fn of(event: &Event, entropy: &dyn Entropy) -> Result<Self, SealError> {
        let Value::Object(fields) =
            serde_json::to_value(event).map_err(|fault| SealError::Leaf(fault.to_string()))?
        else {
            return Err(SealError::Leaf("an event must be an object".to_owned()));
        };
        let mut leaf = Map::new();
        let mut texts = BTreeMap::new();
        leaf.insert("v".to_owned(), json!(LEAF_VERSION));
        for (name, value) in fields {
            if OPEN.contains(&name.as_str()) || value.is_null() {
                leaf.insert(name, value);
            } else {
                let mut salt = [0_u8; 32];
                entropy.fill(&mut salt);
                let value = value.to_string();
                leaf.insert(name.clone(), json!({ "sha256": commitment(&salt, &value) }));
                texts.insert(name, Text { salt: hex::encode(salt), value });
            }
        }
        Ok(Self { leaf: canonical(&Value::Object(leaf))?, texts })
    }

    /// Reads the event back, checking each text against its commitment.
    ///
    /// # Errors
    /// [`SealError`].
    pub fn open(&self) -> Result<Event, SealError> {
        let leaf: Map<String, Value> =
            serde_json::from_slice(&self.leaf).map_err(|fault| SealError::Leaf(fault.to_string()))?;
        let mut fields = Map::new();
        for (name, value) in leaf {
            let committed = (!OPEN.contains(&name.as_str())).then(|| value.get("sha256")).flatten();
            match committed {
                None if name == "v" => {}
                None => {
                    fields.insert(name, value);
                }
                Some(committed) => {
                    let text = self.texts.get(&name).ok_or_else(|| SealError::Erased(name.clone()))?;
                    let salt = hex::decode(&text.salt).map_err(|_| SealError::Mismatch(name.clone()))?;
                    if committed.as_str() != Some(&commitment(&salt, &text.value)) {
                        return Err(SealError::Mismatch(name));
                    }
                    let value =
                        serde_json::from_str(&text.value).map_err(|_| SealError::Mismatch(name.clone()))?;
                    fields.insert(name, value);
                }
            }
        }
        serde_json::from_value(Value::Object(fields)).map_err(|fault| SealError::Leaf(fault.to_string()))
    }
}

/// A leaf in the form of RFC 8785. Nearly all are such that the plain writer gives just that, several times as fast, and
/// everybody who waits for a commit waits for this.
fn canonical(leaf: &Value) -> Result<Vec<u8>, SealError> {
    let written =
        if is_plain(leaf) { serde_json::to_vec(leaf) } else { serde_json_canonicalizer::to_vec(leaf) };
    written.map_err(|fault| SealError::Leaf(fault.to_string()))
}

/// Whether the plain writer gives the canonical form: keys in ASCII, which the map keeps in order already, and no number
/// but integers that a double holds too. Strings are written alike by both.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number.as_i64().is_some_and(|n| n.unsigned_abs() <= JSON_INTEGER_MAX),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(map) => map.iter().all(|(name, value)| name.is_ascii() && is_plain(value)),
    }
}

fn commitment(salt: &[u8], value: &str) -> String {
    hex::encode(Sha256::new().chain_update(salt).chain_update(value).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::Actor;
    use crate::id::{CredentialId, TenantId};
    use crate::record::EventKind;
    use crate::time::Timestamp;

    struct Fixed;
    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn event() -> Event {
        Event {
            tenant: TenantId::new("acme").unwrap(),
            request: None,
            at: Timestamp::from_secs(1),
            kind: EventKind::BypassBlocked {
                by: Actor::Agent(CredentialId::new("agent-1").unwrap()),
                command: "claim".into(),
                refusal: None,
                presented: Some("a text of somebody's".into()),
            },
        }
    }

    #[test]
    fn an_event_reads_back_as_it_was() {
        let sealed = Sealed::of(&event(), &Fixed).unwrap();
        assert_eq!(sealed.open().unwrap(), event());
        let leaf = String::from_utf8(sealed.leaf.clone()).unwrap();
        assert!(
            !leaf.contains("somebody") && !leaf.contains("agent-1"),
            "texts stand beside the leaf: {leaf}"
        );
        insta::assert_snapshot!(leaf, @r#"{"at":1000,"by":{"sha256":"d2f6008ed0bd1074711867ad2fccc3873e84b25336d9ce98ef0645026fef7ffb"},"command":"claim","presented":{"sha256":"26e20ef0bf1aa9cdd48ba5e8efc6e8950964697ba740cd45d28ea6f150eda776"},"refusal":null,"request":null,"tenant":"acme","type":"approval.bypassed_blocked","v":1}"#);
    }

    /// R36: an edited text no longer matches its leaf, and an erased one leaves the leaf as it was.
    #[test]
    fn a_changed_text_is_found() {
        let mut sealed = Sealed::of(&event(), &Fixed).unwrap();
        if let Some(text) = sealed.texts.get_mut("presented") {
            text.value = "\"another text\"".into();
        }
        assert_eq!(sealed.open(), Err(SealError::Mismatch("presented".into())));
        sealed.texts.remove("presented");
        assert_eq!(sealed.open(), Err(SealError::Erased("presented".into())));
    }

    proptest::proptest! {
        /// R36: the fast way to write a leaf gives the canonical form, byte for byte.
        #[test]
        fn plain_leaves_are_written_canonically(
            texts in proptest::collection::btree_map("[ -~\\x00-\\x1f]{0,6}", "(?s).{0,12}", 0..6),
            numbers in proptest::collection::vec(-(1_i64 << 53)..=1 << 53, 0..4),
        ) {
            let leaf = json!({"texts": texts, "numbers": numbers, "rest": [null, true, {"\u{7f}": "\u{2028}\u{7f}"}]});
            let canonical = serde_json_canonicalizer::to_vec(&leaf).unwrap();
            proptest::prop_assert_eq!(super::canonical(&leaf).unwrap(), canonical);
        }
    }

    /// What the plain writer would write otherwise is not left to it.
    #[test]
    fn other_leaves_are_not_plain() {
        for value in [json!(1.0), json!(1_u64 << 54), json!({"\u{fffd}": 1, "\u{1f600}": 2}), json!([[1e30]])]
        {
            assert!(!is_plain(&value), "{value}");
            assert_eq!(canonical(&value).unwrap(), serde_json_canonicalizer::to_vec(&value).unwrap());
        }
    }
}
