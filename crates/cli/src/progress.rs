//! How far it has come, on a terminal only.

use crate::output;
use cpb_engine::Progress;
use cpb_model::Subject;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new() -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(8));
        let style =
            ProgressStyle::with_template("{bar:24.cyan/dim} {percent:>3} %  {eta:>4} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        Self(bar)
    }

    fn follow(&self, progress: Progress<'_>) {
        match progress {
            Progress::Verify { done, expected } => {
                self.0.set_length(expected);
                self.0.set_position(done);
                self.0.set_message("verifying");
            }
            Progress::Job { row, done, expected } => {
                let subject = &row.subject;
                self.0.set_length(expected);
                self.0.set_position(done);
                self.0.set_message(format!(
                    "{} {} {} {}",
                    subject.primitive,
                    subject.operation.name(),
                    subject.library,
                    subject.backend
                ));
            }
            Progress::Clock(_) => self.0.tick(),
            Progress::Failed { .. } => {}
        }
    }

    /// Shows that `done` of `expected` is done.
    pub(crate) fn at(&self, done: u64, expected: u64, message: String) {
        self.0.set_length(expected);
        self.0.set_position(done);
        self.0.set_message(message);
    }

    /// Follows, and says which rows failed.
    pub(crate) fn tell(&self, progress: Progress<'_>) {
        self.tell_of(progress, |Subject { primitive, library, backend, .. }| {
            format!("{primitive} {library} {backend}")
        });
    }

    /// Follows, and says which rows failed, by the names that `name` gives them.
    pub(crate) fn tell_of(&self, progress: Progress<'_>, name: impl Fn(&Subject) -> String) {
        if let Progress::Failed { row, failure } = progress {
            let told = format!("{}: {}", name(&row.subject), failure.reason);
            self.aside(|| output::complain(&told));
        }
        self.follow(progress);
    }

    /// Runs `work` with the bar out of the way.
    pub(crate) fn aside(&self, work: impl FnOnce()) {
        self.0.suspend(work);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
