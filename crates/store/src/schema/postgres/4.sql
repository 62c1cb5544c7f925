-- A series is of a setup, too (../5.sql).
TRUNCATE figures, series, builds;

DROP INDEX series_once;
ALTER TABLE series ADD setup TEXT COLLATE "C" NOT NULL;
CREATE UNIQUE INDEX series_once ON series (md5(
    workload || chr(31) || setup || chr(31) || lengths || chr(31) || method || chr(31) ||
    library || chr(31) || spelling || chr(31) || backend));
