-- The tables of the stores in files (../1.sql, ../2.sql), in PostgreSQL's words. Texts are
-- ordered by their bytes, as there; what is compressed already is not compressed again.

-- Whose tables these are, and of which version.
CREATE TABLE store (
    application TEXT NOT NULL,
    version BIGINT NOT NULL
);

CREATE TABLE runs (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    label TEXT COLLATE "C" UNIQUE,
    started BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    version TEXT NOT NULL,
    revision TEXT,
    machine TEXT NOT NULL,
    clock TEXT,
    command TEXT NOT NULL,
    records BIGINT NOT NULL,
    failures BIGINT NOT NULL
);

CREATE INDEX runs_by_age ON runs (started, number);

CREATE TABLE documents (
    run BIGINT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    description BYTEA NOT NULL,
    records BYTEA NOT NULL
);
ALTER TABLE documents ALTER description SET STORAGE EXTERNAL,
                      ALTER records SET STORAGE EXTERNAL;

CREATE TABLE samples (
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position BIGINT NOT NULL,
    packed BYTEA NOT NULL,
    PRIMARY KEY (run, position)
);
ALTER TABLE samples ALTER packed SET STORAGE EXTERNAL;

CREATE TABLE series (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    primitive TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    library TEXT COLLATE "C" NOT NULL,
    spelling TEXT COLLATE "C" NOT NULL,
    backend TEXT COLLATE "C" NOT NULL,
    contract TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    workload TEXT COLLATE "C" NOT NULL,
    unit TEXT NOT NULL
);

-- Names may be longer than what an index of them takes.
CREATE UNIQUE INDEX series_once ON series (md5(
    primitive || chr(31) || operation || chr(31) || library || chr(31) || spelling || chr(31) ||
    backend || chr(31) || contract || chr(31) || method || chr(31) || workload));
CREATE INDEX series_of_primitive ON series USING hash (primitive);

-- The key holds all there is, so that a history is read in one piece, as in a file.
CREATE TABLE figures (
    series BIGINT NOT NULL REFERENCES series,
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position BIGINT NOT NULL,
    library_version TEXT NOT NULL,
    estimate DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION,
    high DOUBLE PRECISION,
    PRIMARY KEY (series, run, position) INCLUDE (library_version, estimate, low, high)
);

CREATE INDEX figures_of_run ON figures (run);

CREATE TABLE machines (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    architecture TEXT COLLATE "C" NOT NULL,
    cpu TEXT COLLATE "C",
    cpu_id TEXT COLLATE "C",
    hypervisor TEXT COLLATE "C"
);

CREATE TABLE states (
    run BIGINT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    machine BIGINT NOT NULL REFERENCES machines,
    kernel TEXT COLLATE "C",
    microcode TEXT COLLATE "C",
    boot TEXT COLLATE "C",
    cpus BIGINT NOT NULL
);

CREATE INDEX states_of_machine ON states (machine);

INSERT INTO store VALUES ('cpb', 1);
