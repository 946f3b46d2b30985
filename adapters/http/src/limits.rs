//! Every limit of the interface, by name.

use placet::time::Ttl;

/// Bytes of a body: the most that arguments may take, and as much again three times for what is said about them.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;

/// How long a body may take to arrive.
pub const BODY_TIME_MAX: Ttl = Ttl::from_secs(10);

/// How long an answer may take that waits for nobody.
pub const REQUEST_TIME_MAX: Ttl = Ttl::from_secs(30);

/// How long a long poll may wait; longer wishes are cut to it.
pub const WAIT_MAX: Ttl = Ttl::from_secs(60);

/// Bytes of all header names and values together that are answered with a problem.
pub const HEADER_BYTES_MAX: usize = 16 * 1024;

/// How many headers are answered with a problem.
pub const HEADERS_MAX: usize = 64;

/// Bytes of a head that are read at all; beyond it the connection gets a bare 431.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Headers that are read at all; beyond it the connection gets a bare 431.
pub const HEAD_LINES_MAX: usize = 128;

/// How long a head may take to arrive, and how long an idle connection is kept.
pub const HEAD_TIME_MAX: Ttl = Ttl::from_secs(15);

/// Connections at the same time.
pub const CONNECTIONS_MAX: usize = 1024;

/// How long answers under way may take once the server stops.
pub const SHUTDOWN_GRACE: Ttl = Ttl::from_secs(10);

/// How long accepting rests when the system has no more file descriptors.
pub const ACCEPT_REST: Ttl = Ttl::from_millis(500);

/// Streams of events that one credential may keep open.
pub const STREAMS_PER_CREDENTIAL_MAX: usize = 16;

/// Long polls that one credential may keep open.
pub const POLLS_PER_CREDENTIAL_MAX: usize = 256;

/// How often a stream on which nothing happens says that it is alive (R4).
pub const STREAM_COMMENT_EVERY: Ttl = Ttl::from_secs(15);

/// How long a client should wait before it connects again.
pub const STREAM_RETRY: Ttl = Ttl::from_secs(2);

/// Events that a stream reads at once.
pub const STREAM_READ_AT_ONCE: u32 = 200;

/// Events of the record that a stream reads at once. One may hold arguments of 256 KB, which take many times that in
/// memory while they are written out.
pub const TRACE_READ_AT_ONCE: u32 = 16;

/// Requests that a page reads at once, for the same reason: its lines are short, and what they are made of is not.
pub const PAGE_READ_AT_ONCE: u32 = 10;

/// Waiting requests that are looked through for changes of the policy, newest first: far more than people are asked about.
pub const WAITING_LOOKED_AT_MAX: usize = 1_000;

/// Entries on a page, unless the caller asks for another number.
pub const PAGE_DEFAULT: u32 = 50;

/// Entries on a page at most.
pub const PAGE_MAX: u32 = 200;

/// Characters of a bearer token that are looked at.
pub const TOKEN_CHARS_MAX: usize = 200;

/// Characters of the random key of a claiming attempt, at least: 128 bits in hexadecimal.
pub const CLAIM_KEY_CHARS_MIN: usize = 32;

/// Characters of the random key of a claiming attempt, at most.
pub const CLAIM_KEY_CHARS_MAX: usize = 200;

/// Characters of the task: a line on the card.
pub const TASK_CHARS_MAX: usize = 2_000;

/// Characters of an agent's reason.
pub const REASON_CHARS_MAX: usize = 4_000;

/// Pieces of evidence.
pub const EVIDENCE_MAX: usize = 20;

/// Characters of a piece's id or title.
pub const EVIDENCE_TITLE_CHARS_MAX: usize = 300;

/// Characters of a piece's address.
pub const EVIDENCE_URI_CHARS_MAX: usize = 2_000;

/// Characters of a piece's excerpt.
pub const EVIDENCE_EXCERPT_CHARS_MAX: usize = 4_000;

/// Characters of a preview: as much as anybody reads.
pub const PREVIEW_CHARS_MAX: usize = 64 * 1024;

/// Characters of what the agent does on a no.
pub const IF_DENIED_CHARS_MAX: usize = 2_000;

/// Characters of names that an agent gives: a prompt's version, a place.
pub const NAME_CHARS_MAX: usize = 200;

/// Characters of what a person says with a vote, a revoke or a settlement.
pub const NOTE_CHARS_MAX: usize = 2_000;

/// Characters of an executor's error.
pub const ERROR_CHARS_MAX: usize = 16 * 1024;

/// The shortest wait that an agent may ask people to decide in.
pub const TIMEOUT_MIN: Ttl = Ttl::from_secs(1);

/// Characters of what is said to Placet's own agent.
pub const CHAT_CHARS_MAX: usize = placet::agent::USER_CHARS_MAX;

/// How long the alarm gauges still show an alarm of a request that is over: several scrapes, and time to look.
pub const ALARM_SHOWN_FOR: Ttl = Ttl::from_mins(60);

/// How often the gauges are read anew, however often they are scraped.
pub const GAUGES_EVERY: Ttl = Ttl::from_secs(5);
