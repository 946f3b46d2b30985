-- Requests, the record, and everything that is committed together with them.
-- Types are those that PostgreSQL has too: BLOB is BYTEA, INTEGER is BIGINT, TEXT is TEXT. Times are milliseconds.

CREATE TABLE meta (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE approval_request (
  approval_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(approval_id) = 16),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  code         TEXT    NOT NULL CHECK (length(code) = 7),
  status       TEXT    NOT NULL CHECK (status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved',
                                                  'rejected', 'executing', 'executed', 'expired', 'revoked')),
  tool_name    TEXT    NOT NULL CHECK (tool_name <> ''),
  risk_level   TEXT             CHECK (risk_level IN ('low', 'medium', 'high', 'critical')),
  run_id       TEXT,
  step_id      TEXT,
  requested_by TEXT    NOT NULL CHECK (requested_by <> ''),
  digest       BLOB    NOT NULL CHECK (length(digest) = 32),
  args_hash    BLOB    NOT NULL CHECK (length(args_hash) = 32),
  opened_at    INTEGER NOT NULL,
  due_at       INTEGER,
  -- The alarms that stand, a bit each, and since when nothing is open about the request any more.
  alarms       INTEGER          CHECK (alarms > 0),
  over_at      INTEGER,
  version      INTEGER NOT NULL CHECK (version >= 1),
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (over_at IS NULL OR due_at IS NULL),
  CHECK ((run_id IS NULL) = (step_id IS NULL)),
  -- Exactly the states in which time does something have a time at which it does.
  CHECK ((status IN ('waiting_approval', 'approved', 'executing')) = (due_at IS NOT NULL)),
  -- Whatever was decided was graded first.
  CHECK (risk_level IS NOT NULL OR status IN ('proposed', 'policy_checking', 'revoked'))
) STRICT;

CREATE UNIQUE INDEX approval_request_open_code ON approval_request (code)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_open ON approval_request (tenant_id, approval_id)
  WHERE status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved', 'executing');
CREATE INDEX approval_request_due ON approval_request (due_at) WHERE due_at IS NOT NULL;
-- Alarms are few: nothing is written here for a request without one.
CREATE INDEX approval_request_alarms ON approval_request (over_at, alarms) WHERE alarms IS NOT NULL;
-- Holds the code too: what is over is looked up by code so seldom that an index of its own, written at a random place
-- with every proposal, costs more than walking through this one.
CREATE INDEX approval_request_of_tenant ON approval_request (tenant_id, approval_id, status, code);
CREATE INDEX approval_request_digest ON approval_request (digest, approval_id);

-- The number of the last event, given out under the lock of the batch: nobody can read 10 before 9 is there.
CREATE TABLE log_head (
  id  INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL CHECK (seq >= 0)
) STRICT;
INSERT INTO log_head (id, seq) VALUES (1, 0);

-- No foreign key to the request: the record outlives it.
CREATE TABLE event (
  seq         INTEGER NOT NULL PRIMARY KEY CHECK (seq >= 1),
  tenant_id   TEXT    NOT NULL CHECK (tenant_id <> ''),
  approval_id BLOB             CHECK (length(approval_id) = 16),
  at          INTEGER NOT NULL,
  type        TEXT    NOT NULL CHECK (type <> ''),
  leaf        BLOB    NOT NULL CHECK (length(leaf) > 0),
  texts       TEXT    NOT NULL CHECK (texts <> '')
) STRICT;
CREATE INDEX event_of_request ON event (approval_id, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX event_of_tenant ON event (tenant_id, seq, type);

CREATE TABLE idempotency (
  tenant_id       TEXT NOT NULL,
  credential_id   TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  approval_id     BLOB NOT NULL REFERENCES approval_request (approval_id),
  digest          BLOB NOT NULL CHECK (length(digest) = 32),
  proposal_hash   BLOB NOT NULL CHECK (length(proposal_hash) = 32),
  PRIMARY KEY (tenant_id, credential_id, idempotency_key)
) STRICT, WITHOUT ROWID;

-- Commands that changed a request or its card: how they were answered, and the request's version then. Others are
-- decided again, which does no harm.
CREATE TABLE command (
  command_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(command_id) = 16),
  tenant_id   TEXT    NOT NULL,
  approval_id BLOB    NOT NULL REFERENCES approval_request (approval_id),
  at          INTEGER NOT NULL,
  result      TEXT    NOT NULL CHECK (result <> ''),
  version     INTEGER NOT NULL CHECK (version >= 1)
) STRICT;
CREATE INDEX command_age ON command (at);

CREATE TABLE inbox (
  delivery_key TEXT    NOT NULL PRIMARY KEY,
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  received_at  INTEGER NOT NULL,
  done_at      INTEGER,
  body         TEXT    NOT NULL CHECK (body <> '')
) STRICT;
CREATE INDEX inbox_undone ON inbox (received_at, delivery_key) WHERE done_at IS NULL;
CREATE INDEX inbox_done ON inbox (done_at) WHERE done_at IS NOT NULL;

-- An empty thread is none.
CREATE TABLE card (
  approval_id BLOB    NOT NULL REFERENCES approval_request (approval_id),
  surface     TEXT    NOT NULL CHECK (surface <> ''),
  channel     TEXT    NOT NULL,
  thread      TEXT    NOT NULL,
  tenant_id   TEXT    NOT NULL CHECK (tenant_id <> ''),
  wanted      INTEGER NOT NULL CHECK (wanted >= 0),
  due_at      INTEGER,
  body        TEXT    NOT NULL CHECK (body <> ''),
  PRIMARY KEY (approval_id, surface, channel, thread)
) STRICT;
CREATE INDEX card_due ON card (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE card_message (
  tenant_id   TEXT NOT NULL,
  channel     TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  surface     TEXT NOT NULL,
  approval_id BLOB NOT NULL REFERENCES approval_request (approval_id),
  PRIMARY KEY (tenant_id, channel, message_id, surface)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  message_number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  tenant_id      TEXT    NOT NULL CHECK (tenant_id <> ''),
  since          INTEGER NOT NULL,
  tries          INTEGER NOT NULL CHECK (tries >= 0),
  due_at         INTEGER,
  dropped_at     INTEGER,
  dropped_why    TEXT,
  body           TEXT    NOT NULL CHECK (body <> ''),
  CHECK ((due_at IS NULL) = (dropped_at IS NOT NULL)),
  CHECK ((dropped_at IS NULL) = (dropped_why IS NULL))
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE credential (
  tenant_id     TEXT    NOT NULL CHECK (tenant_id <> ''),
  credential_id TEXT    NOT NULL CHECK (credential_id <> ''),
  secret_hash   BLOB    NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  created_at    INTEGER NOT NULL,
  revoked_at    INTEGER,
  body          TEXT    NOT NULL CHECK (body <> ''),
  PRIMARY KEY (tenant_id, credential_id)
) STRICT;
-- The policy knows an account by its credential's name alone: the same name in two tenants would be one person twice.
CREATE UNIQUE INDEX credential_name ON credential (credential_id);

CREATE TABLE agent_run (
  tenant_id  TEXT    NOT NULL CHECK (tenant_id <> ''),
  run_id     TEXT    NOT NULL CHECK (run_id <> ''),
  session_id TEXT    NOT NULL CHECK (session_id <> ''),
  started_at INTEGER NOT NULL,
  finished   INTEGER NOT NULL CHECK (finished IN (0, 1)),
  version    INTEGER NOT NULL CHECK (version >= 1),
  body       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
) STRICT;
CREATE INDEX agent_run_of_session ON agent_run (tenant_id, session_id, started_at);
CREATE INDEX agent_run_unfinished ON agent_run (started_at) WHERE finished = 0;

CREATE TABLE session_event (
  tenant_id  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  number     INTEGER NOT NULL CHECK (number >= 1),
  json       TEXT    NOT NULL CHECK (json <> ''),
  PRIMARY KEY (tenant_id, session_id, number)
) STRICT;
