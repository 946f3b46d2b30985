-- When calls were last let go on, of an agent or of a run, is found by whose they are.
CREATE INDEX hold_lifted ON hold (tenant_id, agent_id, run_id, lifted_at) WHERE lifted_at IS NOT NULL;
-- Of calls that differ in nothing, those that have a card are found by the call and its run.
CREATE INDEX approval_request_waiting ON approval_request (digest, run_id, approval_id)
  WHERE status = 'waiting_approval' AND (body ->> '$.shares') IS NULL;
-- Requests whose card is kept back, because others may be gathered on it, are found by until when. Those that are there
-- have theirs.
ALTER TABLE approval_request ADD COLUMN gathers_until INTEGER
  CHECK (gathers_until IS NULL OR (status = 'waiting_approval' AND asked = 1));
CREATE INDEX approval_request_gathering ON approval_request (tenant_id, agent_id, gathers_until)
  WHERE gathers_until IS NOT NULL;
