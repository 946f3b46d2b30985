-- Of several servers on one file, one works on a task: whoever took it, until its lease is over, which it renews as long as
-- it lives.
ALTER TABLE chat_task ADD COLUMN worker_id TEXT CHECK (worker_id <> '');
ALTER TABLE chat_task ADD COLUMN lease_until INTEGER CHECK ((lease_until IS NULL) = (worker_id IS NULL));
