use std::collections::BTreeMap;

use insta::assert_snapshot;
use matrix_sdk::deserialized_responses::{DeviceLinkProblem, ForwarderInfo};
use matrix_sdk::ruma::{owned_device_id, owned_user_id};

use super::*;

fn key(byte: u8) -> MasterKey {
    MasterKey([byte; 32])
}

fn sealed(origin: Origin) -> Backing {
    Backing::Encrypted(Sealed {
        origin,
        device: Some(owned_device_id!("PHONE")),
        curve25519: "curve".to_owned(),
        ed25519: Some("ed".to_owned()),
    })
}

fn worth(verdict: &Result<Assurance, Unbacked>) -> String {
    match verdict {
        Ok(assurance) => assurance.name().to_owned(),
        Err(Unbacked::IdentityChanged { pinned, seen }) => {
            format!("refused: identity changed from {} to {}", pinned.0[0], seen.0[0])
        }
        Err(why) => format!("refused: {why:?}"),
    }
}

/// R31, R17: the whole table of what an act is worth; each line is one way to say it.
#[test]
fn what_an_act_is_worth() {
    let backings = [
        ("cleartext", Backing::Cleartext),
        ("sealed by the sender", sealed(Origin::Sender)),
        ("sealed by another", sealed(Origin::SomebodyElse)),
        ("sealed, unproven", sealed(Origin::Unproven)),
        ("unreadable", Backing::Unreadable { session: None, may_come: true }),
    ];
    let devices = [
        ("gone", DeviceNow::Gone),
        ("unsigned", DeviceNow::Unsigned),
        ("signed by 1", DeviceNow::SignedBy(key(1))),
    ];
    let knowns = [
        ("nobody yet", Known::default()),
        ("first seen 1", Known { pinned: None, first_seen: Some(key(1)) }),
        ("first seen 2", Known { pinned: None, first_seen: Some(key(2)) }),
        ("pinned 1", Known { pinned: Some(key(1)), first_seen: None }),
        ("pinned 1 after 2", Known { pinned: Some(key(1)), first_seen: Some(key(2)) }),
        ("pinned 2 though 1 was first", Known { pinned: Some(key(2)), first_seen: Some(key(1)) }),
    ];
    let mut table = String::new();
    for (backing_name, backing) in &backings {
        for (place, manner) in [
            ("sign, plain room", (Manner::Sign, false)),
            ("sign, encrypted room", (Manner::Sign, true)),
            ("words, plain room", (Manner::Words, false)),
            ("words, encrypted room", (Manner::Words, true)),
        ] {
            let mut lines = BTreeMap::<String, Vec<String>>::new();
            for (device_name, device) in &devices {
                for (known_name, known) in &knowns {
                    let worth = worth(&judge(manner, backing, device, known));
                    lines.entry(worth).or_default().push(format!("device {device_name}, {known_name}"));
                }
            }
            let whole = devices.len() * knowns.len();
            for (worth, cases) in lines {
                let cases = if cases.len() == whole { "always".to_owned() } else { cases.join("; ") };
                table.push_str(&format!("{backing_name} | {place} | {worth} | {cases}\n"));
            }
        }
    }
    assert_snapshot!(table);
}

/// R31: more than the homeserver's word is only ever said of what a signed device of the sender sealed.
#[test]
fn nothing_but_a_signed_device_of_the_sender_is_worth_more_than_the_homeservers_word() {
    for backing in [
        Backing::Cleartext,
        sealed(Origin::Sender),
        sealed(Origin::SomebodyElse),
        sealed(Origin::Unproven),
        Backing::Unreadable { session: None, may_come: false },
    ] {
        for device in [DeviceNow::Gone, DeviceNow::Unsigned, DeviceNow::SignedBy(key(1))] {
            for manner in [Manner::Sign, Manner::Words] {
                for encrypted in [false, true] {
                    let known = Known { pinned: Some(key(1)), first_seen: Some(key(1)) };
                    let verdict = judge((manner, encrypted), &backing, &device, &known);
                    let is_more = verdict.is_ok_and(|assurance| assurance > Assurance::ServerAsserted);
                    let is_good = backing == sealed(Origin::Sender) && device == DeviceNow::SignedBy(key(1));
                    assert_eq!(is_more, is_good, "{backing:?} {device:?} {manner:?} {encrypted}");
                }
            }
        }
    }
}

fn info(state: VerificationState) -> EncryptionInfo {
    EncryptionInfo {
        sender: owned_user_id!("@alice:example.org"),
        sender_device: Some(owned_device_id!("PHONE")),
        forwarder: None,
        algorithm_info: AlgorithmInfo::MegolmV1AesSha2 {
            curve25519_key: "curve".to_owned(),
            sender_claimed_keys: [(DeviceKeyAlgorithm::Ed25519, "ed".to_owned())].into(),
            session_id: Some("session".to_owned()),
        },
        verification_state: state,
    }
}

/// What the SDK says of a device leads to no more than [`Origin::Sender`]; keys over others lead to nothing.
#[test]
fn how_a_key_came_is_read_from_what_the_sdk_says() {
    use VerificationState::{Unverified, Verified};
    for (state, origin) in [
        (Verified, Origin::Sender),
        (Unverified(VerificationLevel::UnverifiedIdentity), Origin::Sender),
        (Unverified(VerificationLevel::VerificationViolation), Origin::Sender),
        (Unverified(VerificationLevel::UnsignedDevice), Origin::Sender),
        (Unverified(VerificationLevel::MismatchedSender), Origin::SomebodyElse),
        (Unverified(VerificationLevel::None(DeviceLinkProblem::MissingDevice)), Origin::Unproven),
        (Unverified(VerificationLevel::None(DeviceLinkProblem::InsecureSource)), Origin::Unproven),
    ] {
        let read = Sealed::of(&info(state.clone()));
        assert_eq!(read.origin, origin, "{state:?}");
        assert_eq!((read.curve25519.as_str(), read.ed25519.as_deref()), ("curve", Some("ed")));
        let mut forwarded = info(state);
        forwarded.forwarder = Some(ForwarderInfo {
            user_id: owned_user_id!("@mallory:example.org"),
            device_id: owned_device_id!("M"),
        });
        assert_eq!(Sealed::of(&forwarded).origin, Origin::Unproven);
    }
}

#[test]
fn a_master_key_reads_back_as_it_is_shown() {
    let shown = key(7).in_groups();
    assert_eq!(shown, "BwcH BwcH BwcH BwcH BwcH BwcH BwcH BwcH BwcH BwcH Bwc");
    assert_eq!(shown.parse(), Ok(key(7)));
    assert_eq!(key(7).to_string().parse(), Ok(key(7)));
    assert_eq!(format!("{}=", key(7)).parse(), Ok(key(7)));
    for bad in ["", "BwcH", "not base64 at all!", &"A".repeat(44)] {
        assert_eq!(bad.parse::<MasterKey>(), Err(MasterKeyError), "{bad}");
    }
}
