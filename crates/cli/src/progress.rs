//! Shows progress, on a terminal only.

use crate::output;
use crate::sampling::duration;
use cpb_engine::Progress;
use cpb_model::{Record, Subject};
use cpb_report::interim_table;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lines of the terminal besides those of figures: the bar, headings, and one that stays.
const OTHER_LINES: usize = 3;

/// A bar, which goes when it is dropped.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The figures so far, as lines.
    figures: Mutex<String>,
    /// The end of the measurement, if known.
    end: Option<Instant>,
}

impl Bar {
    /// Creates a bar that estimates the remaining time from its speed.
    pub(crate) fn new() -> Self {
        Self::with(None, "{to_come}")
    }

    /// Creates a bar for work that takes at most `time`, and may end earlier.
    pub(crate) fn within(time: Duration) -> Self {
        Self::with(Some(Instant::now() + time), "{prefix} left at most")
    }

    /// Creates a bar for this maximum, if there is one.
    pub(crate) fn of(max_time: Option<Duration>) -> Self {
        max_time.map_or_else(Self::new, Self::within)
    }

    fn with(end: Option<Instant>, left: &str) -> Self {
        // It hides itself if standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(8));
        let template = format!("{{bar:24.cyan/dim}} {{percent:>3}} %  {left}  {{msg}}");
        let style = ProgressStyle::with_template(&template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        // Unknown before anything is done.
        let to_come = |state: &ProgressState, text: &mut dyn Write| {
            let left = duration(state.eta());
            let _ = if state.pos() == 0 { Ok(()) } else { write!(text, "{left} left") };
        };
        bar.set_style(style.progress_chars("━╸─").with_key("to_come", to_come));
        output::hide_for_messages(Some(bar.clone()));
        Self { bar, figures: Mutex::default(), end }
    }

    fn follow(&self, progress: Progress<'_>) {
        if let Some(end) = self.end {
            self.bar.set_prefix(duration(end.saturating_duration_since(Instant::now())));
        }
        match progress {
            Progress::Verify { done, expected } => self.at(done, expected, "verifying"),
            Progress::Job { row, done, expected } => {
                let Subject { primitive, operation, library, backend, .. } = &row.subject;
                let row = format!("{primitive} {} {library} {backend}", operation.name());
                self.at(done, expected, row + &self.figures());
            }
            Progress::Figures { records } => self.note(records),
            Progress::Clock(_) => self.bar.tick(),
            Progress::Failed { .. } => {}
        }
    }

    /// Shows these figures below the bar from now on.
    fn note(&self, records: &dyn Fn() -> Vec<Record>) {
        let records = if self.bar.is_hidden() { Vec::new() } else { records() };
        if !records.is_empty() {
            let (columns, lines) = output::screen();
            let table = interim_table::table(&records, lines.saturating_sub(OTHER_LINES));
            let text = output::for_stderr(&table.render(Some(columns)));
            *self.figures() = format!("\n{}", text.trim_end());
        }
    }

    fn figures(&self) -> MutexGuard<'_, String> {
        self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows that `done` of `expected` are done.
    pub(crate) fn at(&self, done: u64, expected: u64, message: impl Into<Cow<'static, str>>) {
        self.bar.set_length(expected);
        self.bar.set_position(done);
        self.bar.set_message(message);
    }

    /// Follows the progress, and reports failed rows.
    pub(crate) fn tell(&self, progress: Progress<'_>) {
        self.tell_of(progress, |Subject { primitive, library, backend, .. }| {
            format!("{primitive} {library} {backend}")
        });
    }

    /// Works like [`Self::tell`], with names from `name`.
    pub(crate) fn tell_of(&self, progress: Progress<'_>, name: impl Fn(&Subject) -> String) {
        if let Progress::Failed { row, failure } = progress {
            output::complain(&format!("{}: {}", name(&row.subject), failure.reason));
        }
        self.follow(progress);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        output::hide_for_messages(None);
        self.bar.finish_and_clear();
    }
}
