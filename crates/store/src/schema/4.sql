-- A series is of a thing, of whatever build: figures are filled in anew from the documents.
DROP TABLE figures;
DROP TABLE series;

-- What can be compared from run to run.
CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    workload TEXT NOT NULL,                   -- its key: what a call does
    primitive TEXT NOT NULL,                  -- of the workload, to be found by
    lengths TEXT NOT NULL,                    -- in words
    method TEXT NOT NULL,
    library TEXT NOT NULL,                    -- its lane: the label but for the path
    spelling TEXT NOT NULL,
    backend TEXT NOT NULL,
    unit TEXT NOT NULL,
    UNIQUE (workload, lengths, method, library, spelling, backend)
) STRICT;

CREATE INDEX series_of_primitive ON series (primitive);

-- The builds of libraries that a run has figures of, which vary along a series. What is not
-- known is empty.
CREATE TABLE builds (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- of the library in its run
    version TEXT NOT NULL,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,                     -- of the file
    revision TEXT NOT NULL,                   -- the commit of its sources
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

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
