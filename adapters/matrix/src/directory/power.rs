//! Who has how much power in a room: pure.
//!
//! What always holds: what cannot be understood gives nobody power. From room version 12 on, those who made the room
//! stand above every number, and the power levels cannot name them.
//! <https://spec.matrix.org/v1.16/rooms/v12/>

use std::collections::{BTreeMap, BTreeSet};

use matrix_sdk::ruma::{OwnedUserId, RoomVersionId, UserId};
use serde::Deserialize;

/// Who made a room, and by which rules.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Created {
    by: BTreeSet<OwnedUserId>,
    /// Whether they stand above every number.
    are_above: bool,
}

impl Created {
    /// From the JSON of `m.room.create`. None if it cannot be understood, or its rules are not known.
    pub(super) fn parse(event: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Event {
            sender: OwnedUserId,
            content: Content,
        }
        #[derive(Deserialize)]
        struct Content {
            #[serde(default = "first")]
            room_version: RoomVersionId,
            #[serde(default)]
            additional_creators: BTreeSet<OwnedUserId>,
        }
        const fn first() -> RoomVersionId {
            RoomVersionId::V1
        }
        let Event { sender, content } = serde_json::from_str(event).ok()?;
        let rules = content.room_version.rules()?.authorization;
        let mut by = BTreeSet::from([sender]);
        if rules.additional_room_creators {
            by.extend(content.additional_creators);
        }
        Some(Self { by, are_above: rules.explicitly_privilege_room_creators })
    }
}

/// Who has how much power in a room.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Powers {
    created: Created,
    users: BTreeMap<String, i64>,
    default: i64,
}

impl Powers {
    /// From the JSON of `m.room.power_levels`, if the room has one. None if it cannot be understood.
    pub(super) fn new(created: Created, levels: Option<&str>) -> Option<Self> {
        #[derive(Deserialize)]
        struct Event {
            content: Content,
        }
        #[derive(Deserialize)]
        struct Content {
            #[serde(default)]
            users: BTreeMap<String, Level>,
            #[serde(default)]
            users_default: Level,
        }
        let Some(levels) = levels else {
            // Without power levels, whoever made the room has 100, and nobody else any.
            let users = created.by.iter().map(|by| (by.to_string(), 100)).collect();
            return Some(Self { created, users, default: 0 });
        };
        let Content { users, users_default } = serde_json::from_str::<Event>(levels).ok()?.content;
        let users = users.into_iter().map(|(user, Level(level))| (user, level)).collect();
        Some(Self { created, users, default: users_default.0 })
    }

    /// Whether an account has at least so much.
    pub(super) fn has(&self, account: &UserId, power: i64) -> bool {
        if self.created.are_above && self.created.by.contains(account) {
            return true;
        }
        self.users.get(account.as_str()).copied().unwrap_or(self.default) >= power
    }
}

/// A power level. Until room version 10 it may be written as text.
#[derive(Debug, Default, Clone, Copy)]
struct Level(i64);

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(level) => Ok(Self(level)),
            Written::Text(text) => text.trim().parse().map(Self).map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn powers(create: Value, levels: Option<Value>) -> Option<Powers> {
        let create = json!({ "type": "m.room.create", "sender": "@maker:example.org", "content": create });
        let levels = levels.map(|content| json!({ "content": content }).to_string());
        Powers::new(Created::parse(&create.to_string())?, levels.as_deref())
    }

    fn who_has(powers: &Powers, power: i64) -> Vec<&'static str> {
        let all = [
            "@maker:example.org",
            "@second:example.org",
            "@admin:example.org",
            "@mod:example.org",
            "@bo:example.org",
        ];
        all.into_iter().filter(|who| powers.has(<&UserId>::try_from(*who).unwrap(), power)).collect()
    }

    /// R17: power levels give a role from the level on that the policy names; those who made a room of version 12 stand
    /// above it, and of an older one not.
    #[test]
    fn power_is_read_by_the_rooms_rules() {
        let levels =
            json!({ "users": { "@admin:example.org": 100, "@mod:example.org": 50 }, "users_default": 10 });
        let made = |version: &str| json!({ "room_version": version, "additional_creators": ["@second:example.org"] });
        let new = powers(made("12"), Some(levels.clone())).unwrap();
        assert_eq!(
            who_has(&new, 50),
            ["@maker:example.org", "@second:example.org", "@admin:example.org", "@mod:example.org"]
        );
        assert_eq!(who_has(&new, 101), ["@maker:example.org", "@second:example.org"]);
        let old = powers(made("11"), Some(levels)).unwrap();
        assert_eq!(who_has(&old, 50), ["@admin:example.org", "@mod:example.org"]);
        assert_eq!(who_has(&old, 51), ["@admin:example.org"]);
        assert_eq!(who_has(&old, 10).len(), 5);
        assert!(who_has(&old, 101).is_empty());
    }

    /// Without power levels, whoever made the room has 100; text stands for a number where it may.
    #[test]
    fn rooms_of_old_are_read_too() {
        let bare = powers(json!({}), None).unwrap();
        assert_eq!(who_has(&bare, 100), ["@maker:example.org"]);
        let text =
            powers(json!({ "room_version": "9" }), Some(json!({ "users": { "@mod:example.org": " 50 " } })))
                .unwrap();
        assert_eq!(who_has(&text, 50), ["@mod:example.org"]);
    }

    /// R17: what cannot be understood gives nobody power, and is never taken for a room without powers.
    #[test]
    fn what_cannot_be_understood_gives_nobody_power() {
        assert_eq!(powers(json!({ "room_version": "org.example.new" }), None), None);
        for levels in [
            json!({ "users": { "@mod:example.org": "much" } }),
            json!({ "users": ["@mod:example.org"] }),
            json!({ "users_default": 0.5 }),
            json!("none"),
        ] {
            assert_eq!(powers(json!({}), Some(levels.clone())), None, "{levels}");
        }
        assert_eq!(Created::parse("{}"), None);
    }
}
