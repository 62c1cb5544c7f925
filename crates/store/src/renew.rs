//! Recomputes figures of an earlier estimator.

use crate::database::{number, values};
use crate::insert::estimator;
use crate::series::figure;
use crate::{Store, StoreError};
use cpb_model::Estimator;

impl Store {
    /// Recomputes the figures that histories show for these runs from raw samples, with
    /// [`Estimator::CURRENT`], if they are of an earlier estimator and all samples exist. The run
    /// itself stays as it was printed. Returns how many runs were changed.
    ///
    /// # Errors
    /// If a run cannot be read, or the store cannot be written.
    pub fn renew_figures(&mut self, runs: &[i64]) -> Result<usize, StoreError> {
        let mut renewed = 0;
        for &wanted in runs {
            let samples = "SELECT count(*) FROM samples WHERE run = $1";
            if number(self.database(), samples, &values![wanted])? == Some(0) {
                continue;
            }
            let mut run = self.load(wanted)?;
            cpb_figures::renew(&mut run);
            let Some(name) = estimator(&run).filter(|it| *it == Estimator::CURRENT.name()) else {
                continue;
            };
            let figures = run.records.iter().enumerate().filter_map(|(position, record)| {
                let (_, _, figure) = figure(record)?;
                let interval = figure.interval;
                let low = interval.map(|it| it.low);
                let high =
                    interval.map(|it| it.high).or(figure.upper_bound.then_some(figure.estimate));
                Some(values![figure.estimate, low, high, wanted, position as i64].into())
            });
            let figures: Vec<Vec<_>> = figures.collect();
            self.write(|database| {
                let change = "UPDATE figures SET estimate = $1, low = $2, high = $3
                              WHERE run = $4 AND position = $5";
                database.execute(change, &figures)?;
                let change = "UPDATE runs SET estimator = $1 WHERE number = $2";
                database.execute(change, &[values![name, wanted].into()])
            })?;
            renewed += 1;
        }
        Ok(renewed)
    }
}
