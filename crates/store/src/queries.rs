//! For those who look again and again: whether anything changed, and lists in parts.

use crate::database::{all, number, values};
use crate::history::list_of_runs;
use crate::{RunEntry, Store, StoreError};

/// What a store holds, in so few words that it can be asked for every time: the same where it
/// has the same runs with the same labels, and only there. (Numbers only grow: of those up to
/// the largest, as many as before are those of before.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    /// How many runs.
    pub runs: i64,
    /// The largest number a run has; 0 where there is none. That of a deleted run never
    /// comes back.
    pub newest: i64,
    labels: Vec<(i64, String)>,
}

/// Which runs are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Among<'a> {
    /// Those of the machine with this name; of all where it is empty.
    pub machine: &'a str,
    /// Those in whose label, command or CPU this stands, in whatever case.
    pub text: &'a str,
}

/// What runs are listed among: `$1` is the machine, `$2` what [`Among::pattern`] makes of the text.
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
    /// What it holds now.
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

    /// At most `limit` of the runs `among` all, the one started last first, without the first
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

    /// How many runs there are `among` all.
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

    /// The last `limit` runs with a figure of `primitive`, oldest first: of the machine named so,
    /// where that is not empty, and none that was started after run `until`, where there is one.
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
        // CROSS, since SQLite then looks for each series of the primitive in a run, by the key of
        // the figures, instead of the primitive among all figures of the run.
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

    /// The numbers of the series with a figure of a run whose number is above `newest`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn series_since(&self, newest: i64) -> Result<Vec<i64>, StoreError> {
        let query = "SELECT DISTINCT series FROM figures WHERE run > $1";
        all(self.database(), query, &values![newest], |row| row.integer(0))
    }
}
