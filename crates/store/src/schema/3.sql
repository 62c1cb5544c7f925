-- How the rounds of a run became its figures; nothing where that is of before it was kept.
ALTER TABLE runs ADD COLUMN estimator TEXT;
