//! Card rows, and which message is whose card.

use placet::card::row::CardRow;
use placet::id::{RequestId, TenantId};
use placet::inbound::MessageRef;
use placet::policy::Place;
use placet::ports::StoreError;
use placet::time::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows, params};

use crate::sqlite::fault::Meaning;
use crate::sqlite::table::{
    Cell, Unreadable, bind, body_of, check, column_id, column_text, exactly_one, from_body, int, optional,
    text,
};

const TABLE: &str = "card";
const MESSAGES: &str = "card_message";
const INSERT: &str = "INSERT INTO card (body, approval_id, surface, channel, thread, tenant_id, wanted, due_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                      ON CONFLICT (approval_id, surface, channel, thread) DO NOTHING";
const UPDATE: &str = "UPDATE card SET body = ?1, wanted = ?2, due_at = ?3 \
                      WHERE approval_id = ?4 AND surface = ?5 AND channel = ?6 AND thread = ?7";
const OF_REQUEST: &str = "SELECT body, approval_id, surface, channel, thread, tenant_id, wanted, due_at FROM card \
                          WHERE approval_id = ?1 ORDER BY surface, channel, thread";
const DUE: &str = "SELECT body, approval_id, surface, channel, thread, tenant_id, wanted, due_at, rowid FROM card \
                   WHERE due_at <= ?1 ORDER BY due_at, approval_id LIMIT ?2";
const SET_ASIDE: &str = "UPDATE card SET due_at = NULL WHERE rowid = ?1";
const LATER: &str = "SELECT body, approval_id, surface, channel, thread, tenant_id, wanted, due_at FROM card \
                     WHERE due_at > ?1";
const AT: &str = "SELECT approval_id FROM card_message WHERE tenant_id = ?1 AND channel = ?2 AND message_id = ?3 \
                  ORDER BY surface LIMIT 1";
const ON_SURFACE: &str = "SELECT approval_id FROM card_message \
                          WHERE tenant_id = ?1 AND channel = ?2 AND message_id = ?3 AND surface = ?4";
const INSERT_MESSAGE: &str = "INSERT INTO card_message (tenant_id, channel, message_id, surface, approval_id) \
                              VALUES (?1, ?2, ?3, ?4, ?5) \
                              ON CONFLICT (tenant_id, channel, message_id, surface) DO NOTHING";
const DELETE_MESSAGE: &str = "DELETE FROM card_message WHERE tenant_id = ?1 AND channel = ?2 AND message_id = ?3 \
                              AND surface = ?4 AND approval_id = ?5";

fn thread(place: &Place) -> &str {
    place.thread.as_deref().unwrap_or_default()
}

fn place_cells<'a>(request: &'a RequestId, place: &'a Place) -> [Cell<'a>; 4] {
    [
        ("approval_id", ValueRef::Blob(request.as_bytes())),
        ("surface", text(place.surface.as_str())),
        ("channel", text(&place.channel)),
        ("thread", text(thread(place))),
    ]
}

fn moving(row: &CardRow) -> [Cell<'_>; 2] {
    [("wanted", int(row.wanted)), ("due_at", optional(row.due(), |due| ValueRef::Integer(due.as_millis())))]
}

/// Keeps a new row; the same place twice is one.
pub(crate) fn insert(connection: &Connection, row: &CardRow) -> Result<(), StoreError> {
    let body = body_of(TABLE, row)?;
    let mut insert = connection.prepare_cached(INSERT).on(TABLE)?;
    bind(&mut insert, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut insert, 2, &place_cells(&row.request, &row.place)).on(TABLE)?;
    bind(&mut insert, 6, &[("tenant_id", text(row.tenant.as_str()))]).on(TABLE)?;
    bind(&mut insert, 7, &moving(row)).on(TABLE)?;
    insert.raw_execute().map(|_| ()).on(TABLE)
}

/// Keeps what became of a row, and of the messages that were there `before`.
pub(crate) fn update(
    connection: &Connection,
    before: &[MessageRef],
    row: &CardRow,
) -> Result<(), StoreError> {
    let body = body_of(TABLE, row)?;
    let mut update = connection.prepare_cached(UPDATE).on(TABLE)?;
    bind(&mut update, 1, &[("body", text(&body))]).on(TABLE)?;
    bind(&mut update, 2, &moving(row)).on(TABLE)?;
    bind(&mut update, 4, &place_cells(&row.request, &row.place)).on(TABLE)?;
    exactly_one(update.raw_execute().on(TABLE)?, TABLE, row.request)?;
    for shown in row.messages.iter().filter(|shown| !before.contains(&shown.message)) {
        message(connection, INSERT_MESSAGE, row, &shown.message)?;
    }
    for gone in before.iter().filter(|gone| row.messages.iter().all(|shown| shown.message != **gone)) {
        message(connection, DELETE_MESSAGE, row, gone)?;
    }
    Ok(())
}

fn message(
    connection: &Connection,
    sql: &'static str,
    row: &CardRow,
    message: &MessageRef,
) -> Result<(), StoreError> {
    let values = params![
        row.tenant.as_str(),
        message.channel,
        message.id,
        row.place.surface.as_str(),
        row.request.as_bytes().as_slice()
    ];
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute(values))
        .map(|_| ())
        .on(MESSAGES)
}

/// The rows of one request.
pub(crate) fn of_request(connection: &Connection, request: RequestId) -> Result<Vec<CardRow>, StoreError> {
    let mut statement = connection.prepare_cached(OF_REQUEST).on(TABLE)?;
    let rows = statement.query([request.as_bytes().as_slice()]).on(TABLE)?;
    read_all(rows)
}

/// Rows that have something to do, the longest due first; and those among them that cannot be read.
pub(crate) fn due(
    connection: &Connection,
    now: Timestamp,
    limit: u32,
) -> Result<(Vec<CardRow>, Vec<Unreadable>), StoreError> {
    let mut statement = connection.prepare_cached(DUE).on(TABLE)?;
    let mut rows = statement.query(params![now.as_millis(), limit]).on(TABLE)?;
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().on(TABLE)? {
        match read(row) {
            Ok(card) => found.push(card),
            Err(why) => unreadable.push(Unreadable { row: row.get(8).on(TABLE)?, why }),
        }
    }
    Ok((found, unreadable))
}

/// Nobody works on this one any more; whoever changes its request is told what is wrong with it.
pub(crate) fn set_aside(connection: &Connection, unreadable: &Unreadable) -> Result<(), StoreError> {
    let set = connection.prepare_cached(SET_ASIDE);
    set.and_then(|mut set| set.execute([unreadable.row])).map(|_| ()).on(TABLE)
}

/// Rows whose time is still to come: among them those with an attempt under way.
pub(crate) fn later(connection: &Connection, now: Timestamp) -> Result<Vec<CardRow>, StoreError> {
    let mut statement = connection.prepare_cached(LATER).on(TABLE)?;
    let rows = statement.query([now.as_millis()]).on(TABLE)?;
    read_all(rows)
}

fn read_all(mut rows: Rows<'_>) -> Result<Vec<CardRow>, StoreError> {
    let mut found = Vec::new();
    while let Some(row) = rows.next().on(TABLE)? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<CardRow, StoreError> {
    let key = RequestId::from_bytes(column_id(row, 1, TABLE)?).to_string();
    let card: CardRow = from_body(TABLE, &key, column_text(row, 0, TABLE)?)?;
    check(row, 1, &place_cells(&card.request, &card.place), (TABLE, &key))?;
    check(row, 5, &[("tenant_id", text(card.tenant.as_str()))], (TABLE, &key))?;
    check(row, 6, &moving(&card), (TABLE, &key))?;
    Ok(card)
}

/// The request whose card a message is, on any surface.
pub(crate) fn at(
    connection: &Connection,
    tenant: &TenantId,
    message: &MessageRef,
) -> Result<Option<RequestId>, StoreError> {
    first_id(connection, AT, &[&tenant.as_str(), &message.channel, &message.id])
}

/// The request whose card a message is, on this surface.
pub(crate) fn on_surface(
    connection: &Connection,
    tenant: &TenantId,
    located: &placet::inbound::Located,
) -> Result<Option<RequestId>, StoreError> {
    let message = &located.message;
    let values: [&dyn rusqlite::ToSql; 4] =
        [&tenant.as_str(), &message.channel, &message.id, &located.surface.as_str()];
    first_id(connection, ON_SURFACE, &values)
}

fn first_id(
    connection: &Connection,
    sql: &'static str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Option<RequestId>, StoreError> {
    let mut statement = connection.prepare_cached(sql).on(MESSAGES)?;
    let mut rows = statement.query(values).on(MESSAGES)?;
    let Some(row) = rows.next().on(MESSAGES)? else { return Ok(None) };
    Ok(Some(RequestId::from_bytes(column_id(row, 0, MESSAGES)?)))
}
