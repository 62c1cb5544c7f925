//! Waits for the server, as long as a limit allows.

use crate::Limit;
use futures_util::pin_mut;
use std::future::Future;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time limit of one statement, or of a piece of its result, if no overall limit is set.
const PATIENCE: Duration = Duration::from_secs(600);
/// The interval at which waiting checks whether it must end.
const LOOK: Duration = Duration::from_millis(50);

/// Returns the result of `work`, or why waiting for it was given up.
pub(super) async fn limited<T>(
    limit: Option<&Limit>,
    work: impl Future<Output = T>,
) -> Result<T, String> {
    let (start, patience) =
        limit.map_or((Instant::now(), PATIENCE), |limit| (limit.start, limit.patience));
    pin_mut!(work);
    loop {
        if let Ok(done) = tokio::time::timeout(LOOK, &mut work).await {
            return Ok(done);
        }
        if limit.is_some_and(|limit| limit.stop.load(Ordering::Relaxed)) {
            return Err("interrupted before the server answered".to_owned());
        }
        if start.elapsed() >= patience {
            return Err(match limit {
                Some(_) => format!("the server was not done within {} s", patience.as_secs_f64()),
                None => format!("the server has not answered for {} s", patience.as_secs()),
            });
        }
    }
}
