-- Tasks that people gave the agent in a chat: each once, by the chat's own name for the message, until it is answered
-- and for a while after.
CREATE TABLE chat_task (
  delivery_key TEXT    NOT NULL PRIMARY KEY,
  tenant_id    TEXT    NOT NULL CHECK (tenant_id <> ''),
  surface      TEXT    NOT NULL CHECK (surface <> ''),
  received_at  INTEGER NOT NULL,
  done_at      INTEGER,
  version      INTEGER NOT NULL CHECK (version >= 1),
  body         TEXT    NOT NULL CHECK (body <> '')
) STRICT;
CREATE INDEX chat_task_open ON chat_task (surface, received_at, delivery_key) WHERE done_at IS NULL;
CREATE INDEX chat_task_done ON chat_task (done_at) WHERE done_at IS NOT NULL;
