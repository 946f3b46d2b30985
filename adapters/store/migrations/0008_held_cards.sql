-- A stop that is placed or lifted is told on the cards that are there already. Which of the requests that it covers are still
-- to be looked through: those after this one. An empty id comes before every other; where there is none, nothing is left.
ALTER TABLE hold ADD COLUMN redraws_after BLOB CHECK (length(redraws_after) IN (0, 16));
CREATE INDEX hold_redraws ON hold (hold_id) WHERE redraws_after IS NOT NULL;
