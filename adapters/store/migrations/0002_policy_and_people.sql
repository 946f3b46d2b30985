-- Emergency stops, remembered yeses, what an agent did lately, large proposals, and deliveries that nobody can read.
-- The table of requests is made again, because what is new in it holds for every row there is. References to it are not
-- looked at meanwhile; they are all checked before the migration is committed.

CREATE TABLE approval_request_2 (
  approval_id  BLOB    NOT NULL PRIMARY KEY CHECK (length(approval_id) = 16),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  code         TEXT    NOT NULL CHECK (length(code) = 7),
  status       TEXT    NOT NULL CHECK (status IN ('proposed', 'policy_checking', 'waiting_approval', 'approved',
                                                  'rejected', 'executing', 'executed', 'expired', 'revoked')),
  agent_id     TEXT    NOT NULL CHECK (agent_id <> ''),
  tool_name    TEXT    NOT NULL CHECK (tool_name <> ''),
  -- With the server's name.
  full_name    TEXT    NOT NULL CHECK (full_name <> ''),
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
  -- Whether people were ever asked on a card of its own: what came of it does not take that back.
  asked        INTEGER NOT NULL CHECK (asked IN (0, 1)),
  rejected_by  TEXT             CHECK (rejected_by IN ('policy', 'no_approver', 'votes', 'earlier')),
  version      INTEGER NOT NULL CHECK (version >= 1),
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (over_at IS NULL OR due_at IS NULL),
  CHECK ((run_id IS NULL) = (step_id IS NULL)),
  -- Exactly the states in which time does something have a time at which it does.
  CHECK ((status IN ('waiting_approval', 'approved', 'executing')) = (due_at IS NOT NULL)),
  CHECK ((status = 'rejected') = (rejected_by IS NOT NULL)),
  -- Whatever was decided was graded first, and so was what people were asked about.
  CHECK (risk_level IS NOT NULL OR status IN ('proposed', 'policy_checking', 'revoked')),
  CHECK (risk_level IS NOT NULL OR asked = 0)
) STRICT;

INSERT INTO approval_request_2 (approval_id, tenant_id, code, status, agent_id, tool_name, full_name, risk_level, run_id,
                                step_id, requested_by, digest, args_hash, opened_at, due_at, alarms, over_at, asked,
                                rejected_by, version, body)
SELECT approval_id, tenant_id, code, status, body ->> '$.proposal.call.agent', tool_name,
       CASE WHEN body ->> '$.proposal.call.server' IS NOT NULL THEN (body ->> '$.proposal.call.server') || '/' || tool_name
            WHEN instr(tool_name, '/') > 0 THEN '/' || tool_name
            ELSE tool_name END,
       risk_level, run_id, step_id, requested_by, digest, args_hash, opened_at, due_at, alarms, over_at,
       EXISTS (SELECT 1 FROM event WHERE event.approval_id = approval_request.approval_id
                                     AND event.type = 'approval.requested'),
       CASE WHEN status = 'rejected' THEN body ->> '$.state.data.by.who' END,
       version, body
FROM approval_request ORDER BY rowid;

DROP TABLE approval_request;
ALTER TABLE approval_request_2 RENAME TO approval_request;

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
-- What an agent did lately is counted from these alone. Ids begin with the time.
CREATE INDEX approval_request_of_agent ON approval_request (tenant_id, agent_id, full_name, approval_id);
CREATE INDEX approval_request_asked ON approval_request (tenant_id, agent_id, approval_id) WHERE asked = 1;
CREATE INDEX approval_request_denied ON approval_request (digest, approval_id) WHERE rejected_by = 'votes';
CREATE INDEX approval_request_of_run ON approval_request (run_id, tenant_id, approval_id, agent_id, asked)
  WHERE run_id IS NOT NULL;

-- Proposals that are large, apart from the rows that are written anew with everything that happens to a request.
CREATE TABLE proposal (
  approval_id BLOB NOT NULL PRIMARY KEY REFERENCES approval_request (approval_id),
  body        TEXT NOT NULL CHECK (body <> '')
) STRICT;

-- Emergency stops. An empty tenant is everybody; an empty agent, tool (by its full name) or run is none.
CREATE TABLE hold (
  hold_id   BLOB    NOT NULL PRIMARY KEY CHECK (length(hold_id) = 16),
  tenant_id TEXT    NOT NULL,
  scope     TEXT    NOT NULL CHECK (scope IN ('all', 'agent', 'tool', 'run')),
  agent_id  TEXT    NOT NULL,
  tool_name TEXT    NOT NULL,
  run_id    TEXT    NOT NULL,
  since     INTEGER NOT NULL,
  lifted_at INTEGER,
  body      TEXT    NOT NULL CHECK (body <> ''),
  CHECK ((scope IN ('agent', 'run')) = (agent_id <> '')),
  CHECK ((scope = 'tool') = (tool_name <> '')),
  CHECK ((scope = 'run') = (run_id <> ''))
) STRICT;
-- The same is not held twice; and what a claim looks at is these few.
CREATE UNIQUE INDEX hold_standing ON hold (tenant_id, agent_id, tool_name, run_id) WHERE lifted_at IS NULL;

-- Yeses that later calls run on, by the request whose card offered it.
CREATE TABLE remembered (
  approval_id  BLOB    NOT NULL PRIMARY KEY REFERENCES approval_request (approval_id),
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  agent_id     TEXT    NOT NULL CHECK (agent_id <> ''),
  session_id   TEXT    NOT NULL CHECK (session_id <> ''),
  since        INTEGER NOT NULL,
  until        INTEGER NOT NULL,
  forgotten_at INTEGER,
  body         TEXT    NOT NULL CHECK (body <> ''),
  CHECK (since <= until)
) STRICT;
CREATE INDEX remembered_of_session ON remembered (tenant_id, agent_id, session_id, approval_id);
CREATE INDEX remembered_of_tenant ON remembered (tenant_id, approval_id);

-- A delivery that cannot be read is done with, and kept for whoever looks into it.
ALTER TABLE inbox ADD COLUMN set_aside_why TEXT 
  CHECK (set_aside_why IS NULL OR (set_aside_why <> '' AND done_at IS NOT NULL));
