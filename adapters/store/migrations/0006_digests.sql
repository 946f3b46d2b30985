-- What ran unasked is told once a day: that day's is what was begun in it, and who told it is kept.

-- When a call was begun about which nobody was asked: what waited in vain for an answer was asked for long before. Those
-- that ran before have theirs.
ALTER TABLE approval_request ADD COLUMN ran_at INTEGER CHECK (ran_at IS NULL OR ran_unasked IS NOT NULL);
UPDATE approval_request SET ran_at = body ->> '$.state.data.claim.at' WHERE ran_unasked IS NOT NULL;

-- Whatever is counted stands in the index: no request is read for it.
DROP INDEX approval_request_unasked;
CREATE INDEX approval_request_unasked ON approval_request (tenant_id, ran_at, full_name, ran_unasked, outcome)
  WHERE ran_unasked IS NOT NULL;

-- The last digest of each tenant: of which day, and until when it told (exclusive).
CREATE TABLE digest (
  tenant_id  TEXT    NOT NULL PRIMARY KEY CHECK (tenant_id <> ''),
  day        TEXT    NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  told_until INTEGER NOT NULL
) STRICT;
