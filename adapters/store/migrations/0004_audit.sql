-- What people look for in the record: by whom, by tool, by how it ended, and what ran without anybody having been asked.

-- On whose word a call ran about which nobody was asked, and how any call ended. Those that ran before have theirs.
ALTER TABLE approval_request ADD COLUMN ran_unasked TEXT
  CHECK (ran_unasked IS NULL OR (ran_unasked IN ('auto', 'suggest', 'remembered', 'silence')
                                 AND status IN ('executing', 'executed')));
ALTER TABLE approval_request ADD COLUMN outcome TEXT
  CHECK (outcome IS NULL OR (outcome IN ('succeeded', 'failed', 'unknown') AND status = 'executed'));
UPDATE approval_request
SET ran_unasked = CASE body ->> '$.state.data.by.who'
                    WHEN 'policy' THEN CASE body ->> '$.verdict.tier' WHEN 'suggest' THEN 'suggest' ELSE 'auto' END
                    WHEN 'remembered' THEN 'remembered'
                    WHEN 'timeout' THEN 'silence' END,
    outcome = body ->> '$.state.data.outcome.kind'
WHERE status IN ('executing', 'executed');

-- Whatever is counted stands in the index: no request is read for it.
CREATE INDEX approval_request_unasked ON approval_request (tenant_id, approval_id, full_name, ran_unasked, outcome)
  WHERE ran_unasked IS NOT NULL;
CREATE INDEX approval_request_of_tool ON approval_request (tenant_id, full_name, approval_id);
-- Few: what failed, and what nobody knows of.
CREATE INDEX approval_request_ended_badly ON approval_request (tenant_id, outcome, approval_id)
  WHERE outcome <> 'succeeded';

-- Whose doing a request is, or was tried to be: who asked, voted, decided, changed, revoked or settled it, by account.
-- No foreign key to the request: like the record, from which it is made.
CREATE TABLE request_account (
  tenant_id   TEXT NOT NULL CHECK (tenant_id <> ''),
  account     TEXT NOT NULL CHECK (account <> ''),
  approval_id BLOB NOT NULL CHECK (length(approval_id) = 16),
  PRIMARY KEY (tenant_id, account, approval_id)
) STRICT, WITHOUT ROWID;

-- The record holds a field's value as the JSON text that was hashed: an account by itself, or somebody who acts.
INSERT OR IGNORE INTO request_account (tenant_id, account, approval_id)
SELECT tenant_id, account, approval_id FROM (
  SELECT tenant_id, approval_id, texts ->> '$.identity.value' ->> '$' AS account
  FROM event WHERE type = 'vote.taken_back'
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.vote.value' ->> '$.identity' FROM event WHERE type = 'vote.cast'
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.approved_by.value' ->> '$.by'
  FROM event WHERE type = 'approval.decided' AND texts ->> '$.approved_by.value' ->> '$.who' = 'break_glass'
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.by.value' ->> '$'
  FROM event WHERE type IN ('question.asked', 'approval.asked_anew', 'approval.reviewed')
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.by.value' ->> '$.id'
  FROM event WHERE type IN ('command.refused', 'approval.bypassed_blocked', 'approval.revoked', 'question.answered',
                            'execution.stop_requested', 'execution.settled')
               AND texts ->> '$.by.value' ->> '$.kind' = 'account'
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.forgotten.value' ->> '$.by.id'
  FROM event WHERE type = 'approval.forgotten' AND texts ->> '$.forgotten.value' ->> '$.by.kind' = 'account'
  UNION ALL
  SELECT event.tenant_id, event.approval_id, one.value
  FROM event, json_each(event.texts ->> '$.remembered.value', '$.by') AS one WHERE event.type = 'approval.remembered'
  UNION ALL
  SELECT event.tenant_id, event.approval_id, one.value
  FROM event, json_each(event.texts ->> '$.proposal.value', '$.requester.identities') AS one
  WHERE event.type = 'tool.proposed'
  UNION ALL
  SELECT event.tenant_id, event.approval_id, one.value
  FROM event, json_each(event.texts ->> '$.proposal.value', '$.edited.earlier') AS one
  WHERE event.type = 'tool.proposed'
  UNION ALL
  SELECT tenant_id, approval_id, texts ->> '$.proposal.value' ->> '$.edited.by' FROM event WHERE type = 'tool.proposed'
)
WHERE account IS NOT NULL AND approval_id IS NOT NULL;
