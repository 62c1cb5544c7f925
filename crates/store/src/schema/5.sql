-- A series is of a setup, too: by how many at once calls are made. Figures are filled in anew from
-- the documents, those of many at once among them.
DROP TABLE figures;
DROP TABLE series;
DELETE FROM builds;

-- What can be compared from run to run.
CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    workload TEXT NOT NULL,                   -- its key: what a call does
    setup TEXT NOT NULL,                      -- JSON: how calls are made; empty for one thread alone
    primitive TEXT NOT NULL,                  -- of the workload, to be found by
    lengths TEXT NOT NULL,                    -- in words
    method TEXT NOT NULL,
    library TEXT NOT NULL,                    -- its lane: the label but for the path
    spelling TEXT NOT NULL,
    backend TEXT NOT NULL,
    unit TEXT NOT NULL,
    UNIQUE (workload, setup, lengths, method, library, spelling, backend)
) STRICT;

CREATE INDEX series_of_primitive ON series (primitive);

-- The figure of each record that has one. Clustered by series, so that a
-- history is read in one piece.
CREATE TABLE figures (
    series INTEGER NOT NULL REFERENCES series,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,                -- of the record in its run
    build INTEGER NOT NULL,                   -- by its number among those of the run
    estimate REAL NOT NULL,                   -- in the series' unit
    low REAL,
    high REAL,
    PRIMARY KEY (series, run, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX figures_of_run ON figures (run);
