-- Machines, by what decides the cycles of a call.
CREATE TABLE machines (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,                  -- the same in every store
    architecture TEXT NOT NULL,
    cpu TEXT,
    cpu_id TEXT,
    hypervisor TEXT
) STRICT;

-- What a machine was like at a run.
CREATE TABLE states (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    machine INTEGER NOT NULL REFERENCES machines,
    kernel TEXT,
    microcode TEXT,
    boot TEXT,
    cpus INTEGER NOT NULL                     -- that cpb was allowed
) STRICT;

CREATE INDEX states_of_machine ON states (machine);

-- Runs that could not be sent to the store they are for, and are kept here until then.
CREATE TABLE outbox (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    destination TEXT NOT NULL                 -- its address, without a password
) STRICT;
