//! Answers callers that poll: whether anything changed, and lists in parts.

use crate::database::{all, number, values};
use crate::history::list_of_runs;
use crate::{RunEntry, Store, StoreError};

/// The state of a store, in so few values that it can be polled: equal exactly if it has the same
/// runs with the same labels. (Numbers only grow, so if as many exist up to the largest as before,
/// they are the same.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Number of runs.
    pub runs: i64,
    /// The largest number of a run; 0 if there is none. Numbers of deleted runs are never reused.
    pub newest: i64,
    labels: Vec<(i64, String)>,
}

/// Selects which runs are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Among<'a> {
    /// Runs of the machine with this name; of all if empty.
    pub machine: &'a str,
    /// Runs whose label, command or CPU contains this text, in any case.
    pub text: &'a str,
}

/// The condition on runs: `$1` is the machine, `$2` the [`Among::pattern`] of the text.
macro_rules! among {
    () => {
        " WHERE ($1 = '' OR machines.id = $1)
            AND ($2 = '%%' OR lower(label) LIKE $2 ESCAPE '\\'
                 OR lower(command) LIKE $2 ESCAPE '\\' OR lower(runs.machine) LIKE $2 ESCAPE '\\')"
    };
}

impl Among<'_> {
    fn pattern(&self) -> String {
        let mut pattern = String::from("%");
        for character in self.text.to_lowercase().chars() {
            if matches!(character, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern + "%"
    }
}

impl Store {
    /// Returns its current state.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn mark(&self) -> Result<Mark, StoreError> {
        let query = "SELECT count(*), coalesce(max(number), 0) FROM runs";
        let counted =
            all(self.database(), query, &[], |row| Ok((row.integer(0)?, row.integer(1)?)));
        let (runs, newest) = counted?.pop().unwrap_or_default();
        let query = "SELECT number, label FROM runs WHERE label IS NOT NULL ORDER BY number";
        let labels = all(self.database(), query, &[], |row| {
            Ok((row.integer(0)?, row.text(1)?.unwrap_or_default().to_owned()))
        });
        Ok(Mark { runs, newest, labels: labels? })
    }

    /// Returns at most `limit` of the selected runs, the last started first, after skipping
    /// `skipped`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn newest_runs(
        &self,
        among: &Among<'_>,
        skipped: i64,
        limit: i64,
    ) -> Result<Vec<RunEntry>, StoreError> {
        let query = concat!(
            list_of_runs!(),
            among!(),
            " ORDER BY started DESC, runs.number DESC LIMIT $3 OFFSET $4"
        );
        self.listed(query, &values![among.machine, &among.pattern(), limit, skipped])
    }

    /// Counts the selected runs.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count_runs(&self, among: &Among<'_>) -> Result<i64, StoreError> {
        let query = concat!(
            "SELECT count(*) FROM runs LEFT JOIN states ON states.run = runs.number
                                       LEFT JOIN machines ON machines.number = states.machine",
            among!()
        );
        let pattern = among.pattern();
        let parameters = values![among.machine, &pattern];
        Ok(number(self.database(), query, &parameters)?.unwrap_or(0))
    }

    /// Returns the last `limit` runs with a figure of `primitive`, oldest first: of the machine
    /// with this name unless empty, and not started after run `until` if given.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_runs_of(
        &self,
        primitive: &str,
        machine: &str,
        until: Option<i64>,
        limit: i64,
    ) -> Result<Vec<RunEntry>, StoreError> {
        // CROSS makes SQLite look up each series of the primitive in a run by the key of the
        // figures, instead of searching all figures of the run for the primitive.
        let query = concat!(
            list_of_runs!(),
            " WHERE ($2 = '' OR machines.id = $2)
                AND ($3 < 0 OR started <= (SELECT started FROM runs WHERE number = $3))
                AND EXISTS (SELECT 1 FROM series CROSS JOIN figures
                            WHERE primitive = $1 AND figures.series = series.number
                              AND figures.run = runs.number)
              ORDER BY started DESC, runs.number DESC LIMIT $4"
        );
        let parameters = values![primitive, machine, until.unwrap_or(-1), limit];
        let mut runs = self.listed(query, &parameters)?;
        runs.reverse();
        Ok(runs)
    }

    /// Returns the numbers of the series with a figure of a run above `newest`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn series_since(&self, newest: i64) -> Result<Vec<i64>, StoreError> {
        let query = "SELECT DISTINCT series FROM figures WHERE run > $1";
        all(self.database(), query, &values![newest], |row| row.integer(0))
    }
}
