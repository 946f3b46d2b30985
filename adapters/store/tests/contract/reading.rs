//! Reading the record of a database beside the server that writes it.

use placet::ports::EventQuery;
use placet::record::{Event, Seq};
use placet::time::Ttl;
use placet_store::RecordReader;

use crate::engine::Sqlite;
use crate::fixture::*;
use crate::sqlite::desk;

fn all(reader: &RecordReader, after: Seq) -> Vec<(Seq, Event)> {
    let query = EventQuery { tenant: None, request: None, after, types: Vec::new(), limit: 10_000 };
    reader.events(&query).unwrap()
}

/// R20: where a time begins in the record is found while the server writes, for every time there is; nothing that is as late
/// stands before it.
#[tokio::test]
async fn where_a_time_begins_is_found() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    let reader = RecordReader::open(&engine.path()).unwrap();
    assert_eq!(reader.before(desk.now()).unwrap(), Seq(0), "an empty record begins at any time");
    for number in 0..9 {
        desk.opens(desk.harmless(&format!("v{number}"))).await;
        desk.setting.clock.passes(Ttl::from_millis(if number % 3 == 0 { 1 } else { 60_000 * number }));
    }
    let events = all(&reader, Seq(0));
    assert!(events.len() > 18, "{}", events.len());
    let times = events.iter().map(|(_, event)| event.at);
    for at in times.clone().flat_map(|at| [at, at + Ttl::from_millis(1)]) {
        let before = reader.before(at).unwrap();
        let expected = times.clone().filter(|time| *time < at).count() as u64;
        assert_eq!(before, Seq(expected), "{at:?}");
        assert!(all(&reader, before).iter().all(|(_, event)| event.at >= at));
    }
    assert_eq!(reader.tenants().unwrap(), [acme()]);
}

/// R20: where the clock was set back what is found may be off by as much as that, and no more.
#[tokio::test]
async fn a_clock_that_was_set_back_is_off_by_as_much() {
    let engine = Sqlite::new();
    let desk = desk(&engine);
    let back = Ttl::from_mins(20);
    for number in 0..12 {
        desk.opens(desk.harmless(&format!("v{number}"))).await;
        if number == 5 {
            desk.setting.clock.is_set_back(back);
        } else {
            desk.setting.clock.passes(Ttl::from_mins(7));
        }
    }
    let reader = RecordReader::open(&engine.path()).unwrap();
    let events = all(&reader, Seq(0));
    for (_, Event { at, .. }) in &events {
        let found = all(&reader, reader.before(*at - back).unwrap());
        let late = |events: &[(Seq, Event)]| events.iter().filter(|(_, event)| event.at >= *at).count();
        assert_eq!(late(&found), late(&events), "nothing as late is left out");
    }
}
