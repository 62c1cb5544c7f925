-- A series is of a thing, of whatever build (../4.sql). Tables are altered and not made anew,
-- so that who may use them still may.
TRUNCATE figures, series;

DROP INDEX series_once;
ALTER TABLE series DROP operation, DROP contract, ADD lengths TEXT COLLATE "C" NOT NULL;
CREATE UNIQUE INDEX series_once ON series (md5(
    workload || chr(31) || lengths || chr(31) || method || chr(31) || library || chr(31) ||
    spelling || chr(31) || backend));

CREATE TABLE builds (
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    number BIGINT NOT NULL,
    version TEXT NOT NULL,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (run, number)
);

ALTER TABLE figures DROP library_version, ADD build BIGINT NOT NULL;
ALTER TABLE figures DROP CONSTRAINT IF EXISTS figures_pkey;
ALTER TABLE figures ADD PRIMARY KEY (series, run, position) INCLUDE (build, estimate, low, high);

-- Who may use series may use builds.
DO $$
DECLARE
    may RECORD;
BEGIN
    FOR may IN
        SELECT privilege_type AS what,
               CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS who
        FROM pg_class, aclexplode(relacl)
        WHERE pg_class.oid = 'cpb.series'::regclass AND grantee <> relowner
    LOOP
        EXECUTE format('GRANT %s ON cpb.builds TO %s', may.what, may.who);
    END LOOP;
END
$$;
