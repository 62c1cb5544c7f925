//! Maps a function over items with several threads.

use std::thread::{Builder, ScopedJoinHandle};

/// Returns the results of `each` for all `items`, in order. Uses at most this many threads, fewer
/// if the system does not grant them.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let of_piece = &|piece: &[T]| piece.iter().map(&each).collect::<Vec<R>>();
    let piece = items.len().div_ceil(threads.max(1)).max(1);
    let (first, others) = items.split_at(piece.min(items.len()));
    std::thread::scope(|scope| {
        let start = |piece| Builder::new().spawn_scoped(scope, move || of_piece(piece)).ok();
        let others: Vec<_> = others.chunks(piece).map(|piece| (piece, start(piece))).collect();
        let mut all = of_piece(first);
        for (piece, thread) in others {
            let made = thread.map(ScopedJoinHandle::join).and_then(Result::ok);
            all.extend(made.unwrap_or_else(|| of_piece(piece)));
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn all_are_done_in_order_whatever_the_threads() {
        for count in [0, 1, 2, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            for threads in [0, 1, 2, 3, 100, 1000] {
                assert_eq!(map(&items, threads, |it| it + 1), (1..=count).collect::<Vec<_>>());
            }
        }
    }
}
