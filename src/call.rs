//! The call that an agent proposes, and the two hashes that name it.
//!
//! What always holds: people see what is rendered from the canonical arguments, votes and claims compare the
//! digest of the envelope around them, and what runs is serialised from them again.

pub mod canonical;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::id::{AgentId, ServerName, TenantId, ToolName};
pub use canonical::{ArgsError, CanonicalArgs};

/// Why a text is not a hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 lower-case hexadecimal digits")]
pub struct HashError;

macro_rules! hash {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name([u8; 32]);

        impl $name {
            /// From the 32 bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The SHA-256 of these bytes.
            #[must_use]
            pub fn of(bytes: &[u8]) -> Self {
                Self(Sha256::digest(bytes).into())
            }

            /// The 32 bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({}…)", stringify!($name), &hex::encode(self.0)[..12])
            }
        }

        impl FromStr for $name {
            type Err = HashError;
            fn from_str(text: &str) -> Result<Self, HashError> {
                if text.bytes().any(|b| b.is_ascii_uppercase()) {
                    return Err(HashError);
                }
                let bytes = hex::decode(text).map_err(|_| HashError)?;
                Ok(Self(bytes.try_into().map_err(|_| HashError)?))
            }
        }

        impl TryFrom<String> for $name {
            type Error = HashError;
            fn try_from(text: String) -> Result<Self, HashError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> Self {
                hash.to_string()
            }
        }
    )*};
}

hash! {
    /// SHA-256 over the whole envelope: what votes, claims and grants compare.
    CallDigest;
    /// SHA-256 over the RFC 8785 form of the arguments alone, for the record and outside protocols.
    ArgsHash;
    /// SHA-256 over the RFC 8785 form of a tool's schema, so that a swapped definition is another call.
    SchemaHash;
    /// SHA-256 over what a preview read, which the tool checks again before it acts.
    ContentHash;
    /// SHA-256 over what a person was shown of a call.
    ShownDigest;
    /// SHA-256 over a policy's text.
    PolicyDigest;
}

/// One call of one tool, with everything that an approval binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Who proposes it: the agent, not the credential it happens to use.
    pub agent: AgentId,
    /// Where the tool comes from; none for tools without a server.
    pub server: Option<ServerName>,
    /// The tool.
    pub tool: ToolName,
    /// The schema of the tool as it was when the call was proposed, where known.
    pub tool_schema_hash: Option<SchemaHash>,
    /// The arguments, canonical.
    pub args: CanonicalArgs,
    /// Digests of what a preview was made from, by name (a path, for one).
    #[serde(default)]
    pub preconditions: BTreeMap<String, ContentHash>,
}

/// Opens the hashed envelope, so that its hash is never that of something else; a new form gets a new version.
const ENVELOPE_DOMAIN: &[u8] = b"placet/v1\0";

impl ToolCall {
    /// The digest of the call as proposed within `tenant`.
    #[must_use]
    pub fn digest(&self, tenant: &TenantId) -> CallDigest {
        // The arguments are spliced in as they stand: canonical text within canonical text is canonical, as long
        // as the names around it are in order, which the test below checks against the library.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let optional = |text: Option<String>| text.map_or_else(|| "null".to_owned(), |text| quoted(&text));
        let preconditions: Vec<String> =
            self.preconditions.iter().map(|(name, hash)| format!("[{},\"{hash}\"]", quoted(name))).collect();
        let envelope = format!(
            "{{\"agent\":{},\"args\":{},\"preconditions\":[{}],\"server\":{},\"tenant\":{},\"tool\":{},\"tool_schema_hash\":{}}}",
            quoted(self.agent.as_str()),
            self.args.as_str(),
            preconditions.join(","),
            optional(self.server.as_ref().map(ToString::to_string)),
            quoted(tenant.as_str()),
            quoted(self.tool.as_str()),
            optional(self.tool_schema_hash.map(|hash| hash.to_string())),
        );
        CallDigest(Sha256::new().chain_update(ENVELOPE_DOMAIN).chain_update(envelope).finalize().into())
    }

    /// The hash of the arguments alone.
    #[must_use]
    pub fn args_hash(&self) -> ArgsHash {
        ArgsHash(self.args.sha256())
    }

    /// Server and tool as people read them: `files/delete_file`, or the tool alone. Two calls of different tools never
    /// read alike: a server's name holds no `/`, and a tool without a server whose name does begins with one.
    #[must_use]
    pub fn full_name(&self) -> String {
        match &self.server {
            Some(server) => format!("{server}/{}", self.tool),
            None if self.tool.as_str().contains('/') => format!("/{}", self.tool),
            None => self.tool.to_string(),
        }
    }

    /// The envelope as a value, for whoever wants to compute the digest outside: RFC 8785 of this, after
    /// `"placet/v1\0"`.
    #[must_use]
    pub fn envelope(&self, tenant: &TenantId) -> serde_json::Value {
        json!({
            "tenant": tenant,
            "agent": self.agent,
            "server": self.server,
            "tool": self.tool,
            "tool_schema_hash": self.tool_schema_hash,
            "args": self.args.value(),
            "preconditions": self.preconditions.iter().map(|(name, hash)| json!([name, hash])).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> ToolCall {
        ToolCall {
            agent: AgentId::new("cleaner").unwrap(),
            server: None,
            tool: ToolName::new("delete_file").unwrap(),
            tool_schema_hash: None,
            args: CanonicalArgs::parse(br#"{"path": "a\u00e9\"\\/\b", "n": 1.0}"#).unwrap(),
            preconditions: BTreeMap::from([("p\u{1}".to_owned(), ContentHash::of(b"x"))]),
        }
    }

    /// R23: the digest is the hash of the canonical envelope, as anybody can compute it.
    #[test]
    fn the_digest_is_that_of_the_canonical_envelope() {
        let tenant = TenantId::new("acme \u{7f}\u{1F600}")
            .unwrap_or_else(|_| TenantId::new("acme \u{1F600}").unwrap());
        let canonical = serde_json_canonicalizer::to_vec(&call().envelope(&tenant)).unwrap();
        let expected = Sha256::new().chain_update(b"placet/v1\0").chain_update(canonical).finalize();
        assert_eq!(call().digest(&tenant).as_bytes(), &<[u8; 32]>::from(expected));
    }

    /// R23: whatever changes, the digest changes.
    #[test]
    fn every_part_of_the_envelope_counts() {
        let tenant = TenantId::new("acme").unwrap();
        let base = call().digest(&tenant);
        let mut other = call();
        other.tool = ToolName::new("read_file").unwrap();
        assert_ne!(other.digest(&tenant), base);
        let mut other = call();
        other.server = Some(ServerName::new("files").unwrap());
        assert_ne!(other.digest(&tenant), base);
        let mut other = call();
        other.args = CanonicalArgs::parse(br#"{"path":"b","n":1}"#).unwrap();
        assert_ne!(other.digest(&tenant), base);
        let mut other = call();
        other.agent = AgentId::new("other").unwrap();
        assert_ne!(other.digest(&tenant), base);
        let mut other = call();
        other.tool_schema_hash = Some(SchemaHash::of(b"{}"));
        assert_ne!(other.digest(&tenant), base);
        let mut other = call();
        other.preconditions.clear();
        assert_ne!(other.digest(&tenant), base);
        assert_ne!(call().digest(&TenantId::new("globex").unwrap()), base);
    }

    /// R28: calls of different tools never read alike.
    #[test]
    fn one_name_is_one_tool() {
        let named = |server: Option<&str>, tool: &str| {
            let server = server.map(|name| ServerName::new(name).unwrap());
            ToolCall { server, tool: ToolName::new(tool).unwrap(), ..call() }.full_name()
        };
        assert_eq!(named(Some("prod"), "drop_table"), "prod/drop_table");
        assert_eq!(named(None, "prod/drop_table"), "/prod/drop_table");
        assert_eq!(named(None, "drop_table"), "drop_table");
    }
}
