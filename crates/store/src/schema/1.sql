-- Runs, as lists of them show them.
CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- that of a deleted run never comes back
    id TEXT NOT NULL UNIQUE,                  -- the same wherever the run is kept
    label TEXT UNIQUE,
    started INTEGER NOT NULL,                 -- seconds since 1970
    seconds REAL NOT NULL,
    version TEXT NOT NULL,                    -- of cpb
    revision TEXT,
    machine TEXT NOT NULL,
    clock TEXT,
    command TEXT NOT NULL,                    -- JSON list
    records INTEGER NOT NULL,
    failures INTEGER NOT NULL
) STRICT;

-- Runs, whole but for their raw samples: JSON, compressed (zlib).
CREATE TABLE documents (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    description BLOB NOT NULL,                -- the run without its records
    records BLOB NOT NULL                     -- a list
) STRICT;

-- Raw samples: for each point of a record a length (32 bits, little-endian) and
-- so many bytes of packed rounds, all compressed (zlib).
CREATE TABLE samples (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,                -- of the record in its run
    packed BLOB NOT NULL,
    UNIQUE (run, position)
) STRICT;

-- What can be compared from run to run.
CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    primitive TEXT NOT NULL,
    operation TEXT NOT NULL,
    library TEXT NOT NULL,
    spelling TEXT NOT NULL,
    backend TEXT NOT NULL,
    contract TEXT NOT NULL,
    method TEXT NOT NULL,
    workload TEXT NOT NULL,
    unit TEXT NOT NULL,
    UNIQUE (primitive, operation, library, spelling, backend, contract, method, workload)
) STRICT;

-- The figure of each record that has one. Clustered by series, so that a
-- history is read in one piece.
CREATE TABLE figures (
    series INTEGER NOT NULL REFERENCES series,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,                -- of the record in its run
    library_version TEXT NOT NULL,
    estimate REAL NOT NULL,                   -- in the series' unit
    low REAL,
    high REAL,
    PRIMARY KEY (series, run, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX figures_of_run ON figures (run);
