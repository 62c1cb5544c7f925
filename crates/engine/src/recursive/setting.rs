//! Defines one row: the loops, the number of lanes, and the number of threads.

use cpb_kernels::recursive_sha256::{Backend, Cover, Form};
use cpb_kernels::{Backend as _, Unavailable};
use cpb_model::{Loop, Record};
use std::fmt::{self, Display, Formatter};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    how: How,
    lanes: usize,
    threads: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum How {
    Form(Form),
    /// Any number of lanes on one backend.
    Backend(Backend, Cover),
    /// Any number of lanes over the forms that are best on this CPU.
    Scheduled(Cover),
}

impl Setting {
    /// Uses the lanes of one form.
    pub fn form(form: Form, threads: usize) -> Self {
        Self { how: How::Form(form), lanes: form.lanes(), threads }
    }

    /// Uses any number of lanes, in the form with exactly that many if `backend` has
    /// one, otherwise as the backend distributes them.
    pub fn backend(backend: Backend, lanes: usize, threads: usize) -> Self {
        match Form::new(backend, lanes) {
            Some(form) => Self::form(form, threads),
            None => Self { how: How::Backend(backend, Cover::of(backend, lanes)), lanes, threads },
        }
    }

    /// Uses any number of lanes, distributed over the forms that are best on this CPU.
    pub fn scheduled(lanes: usize, threads: usize) -> Self {
        let cover = Cover::new(lanes);
        let [first, second] = [0, 1].map(|place| cover.forms().nth(place));
        match (first, second) {
            (Some(form), None) if form.lanes() == lanes => Self::form(form, threads),
            _ => Self { how: How::Scheduled(cover), lanes, threads },
        }
    }

    /// Returns the setting that measured `record`, with this backend if it is another.
    ///
    /// # Errors
    /// The reason why the backend is not available.
    pub fn of_record(record: &Record, backend: &str) -> Result<Self, Unavailable> {
        let (setup, subject) = (&record.setup, &record.subject);
        if subject.default_backend && backend == subject.backend {
            return Ok(Self::scheduled(setup.lanes, setup.threads));
        }
        Ok(Self::backend(Backend::by_name(backend)?, setup.lanes, setup.threads))
    }

    /// Returns the same setting with another number of threads.
    pub fn in_threads(&self, threads: usize) -> Self {
        Self { threads, ..self.clone() }
    }

    /// Returns the number of lanes in each thread.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the number of hashes of all lanes and threads in `iterations` iterations.
    pub(super) fn hashes(&self, iterations: u64) -> f64 {
        iterations as f64 * self.lanes as f64 * self.threads as f64
    }

    /// Returns the backend's name; several are joined by `+`.
    pub fn backend_name(&self) -> String {
        self.backends().join("+")
    }

    /// Returns the names of the backends in use, each once.
    pub fn backends(&self) -> Vec<&'static str> {
        match &self.how {
            How::Form(form) => vec![form.backend().name()],
            How::Backend(backend, _) => vec![backend.name()],
            How::Scheduled(cover) => {
                let mut names = Vec::new();
                for form in cover.forms() {
                    if !names.contains(&form.backend().name()) {
                        names.push(form.backend().name());
                    }
                }
                names
            }
        }
    }

    /// Returns the loops in use; empty if the backend chooses them itself.
    pub fn loops(&self) -> Vec<Loop> {
        let described =
            |form: Form| Loop { backend: form.backend().name().to_owned(), lanes: form.lanes() };
        match &self.how {
            How::Form(form) => vec![described(*form)],
            How::Backend(..) => Vec::new(),
            How::Scheduled(cover) => cover.forms().map(described).collect(),
        }
    }

    pub(crate) fn iterate(&self, lanes: &mut [[u8; 32]], count: u64) {
        match &self.how {
            How::Form(form) => form.iterate(lanes, count),
            How::Backend(_, cover) | How::Scheduled(cover) => cover.iterate(lanes, count),
        }
    }

    /// Returns the backend that runs all lanes; `None` if they are distributed over
    /// several.
    pub(super) fn one_backend(&self) -> Option<Backend> {
        match &self.how {
            How::Form(form) => Some(form.backend()),
            How::Backend(backend, _) => Some(*backend),
            How::Scheduled(_) => None,
        }
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let Self { lanes, threads, .. } = self;
        let (of_lanes, of_threads) = (plural(*lanes), plural(*threads));
        let backend = self.backend_name();
        write!(f, "{backend}, {lanes} lane{of_lanes} × {threads} thread{of_threads}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recursive::expected::start_values;
    use cpb_model::Setup;

    #[test]
    fn every_form_is_a_setting_and_any_lanes_are_spread() {
        for form in Form::all() {
            let setting = Setting::form(form, 2);
            assert_eq!((setting.lanes(), setting.threads()), (form.lanes(), 2));
            assert_eq!(setting.backend_name(), form.backend().name());
            assert_eq!(Setting::backend(form.backend(), form.lanes(), 2), setting);
        }
        for lanes in [1, 5, 33] {
            let spread = Setting::scheduled(lanes, 1);
            let loops = spread.loops();
            // Only the last loop may be wider than what is left of them.
            let widths = loops.iter().map(|each| each.lanes);
            let (all, narrowest) = (widths.clone().sum::<usize>(), widths.min().unwrap());
            assert!(all - narrowest < lanes && lanes <= all, "{loops:?}");
            let mut values = start_values(lanes);
            spread.iterate(&mut values, 1);
            let mut one_by_one = start_values(lanes);
            let portable = Backend::PORTABLE;
            Setting::backend(portable, lanes, 1).iterate(&mut one_by_one, 1);
            assert_eq!(values, one_by_one);
        }
    }

    #[test]
    fn a_record_says_what_it_was_measured_by() {
        let portable = Backend::PORTABLE;
        let record = |setting: &Setting| {
            let mut record = cpb_figures::testing::record("recursive-sha256", "native", 1.0);
            let (lanes, threads) = (setting.lanes(), setting.threads());
            record.subject.backend = setting.backend_name();
            record.subject.default_backend = *setting == Setting::scheduled(lanes, threads);
            record.setup = Setup { lanes, threads, ..Setup::default() };
            record
        };
        let spread = Setting::scheduled(5, 2);
        let again = Setting::of_record(&record(&spread), &spread.backend_name());
        assert_eq!(again, Ok(spread));
        let named = record(&Setting::backend(portable, 3, 1));
        assert_eq!(Setting::of_record(&named, "portable"), Ok(Setting::backend(portable, 3, 1)));
        assert!(Setting::of_record(&named, "portible").is_err());
    }
}
