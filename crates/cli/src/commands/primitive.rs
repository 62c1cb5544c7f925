//! `cpb primitive`: cpb's own kernels by milo's names, parameters and JSON.

use crate::arguments::{self, Saving, seconds, unknown};
use crate::cli_error::CliError;
use crate::export::{Exporter, Exporting, Format};
use crate::library_set::LibrarySet;
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::progress::Bar;
use crate::{interrupt, output, sampling, saved, time_budget};
use clap::Args;
use cpb_engine::{Calls, LibrarySpec, Rounds, Row, SampleFile, Sampling};
use cpb_libraries::codec;
use cpb_model::{Contract, Offer, Parameters, Role, Run};
use cpb_oldtools::CalledAs;
use cpb_oldtools::milo::arguments::{Repeats, Sizes};
use cpb_oldtools::milo::choice::{Chosen, NameQuery, Refused};
use cpb_oldtools::milo::document::{Names, PrimitiveDocument};
use cpb_oldtools::milo::names::{self, Family, Name, Parameter};
use cpb_oldtools::milo::outcome::View;
use std::io::IsTerminal;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const LIBRARY: &str = "native";
const LIST: &str = "list";
/// The number of fresh processes over which the calls are spread.
const ROUNDS: u64 = 8;
/// Our kernels do not hang, but a round of slow calls may take long.
const TIMEOUT: Duration = Duration::from_secs(3600);

/// Measure cpb's own kernels as milo does, keying included
///
/// Names, parameters and the JSON are those of `milo benchmark`. One call makes and
/// keys its context, works and finishes (the contract `oneshot`). Without --format,
/// results are JSON, and the list is names only.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// `list`, or a pattern with * of names on that list, which matches anywhere in
    /// the name.
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expression: String,
    /// Names with a backend, too.
    #[arg(long)]
    pub(crate) advanced: bool,
    /// Wrap the JSON with command, project and compiler.
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Time budget for everything; a row that could not be measured in time says so [default: as
    /// long as it takes].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) max_time: Option<Duration>,
    #[command(flatten)]
    pub(crate) exporting: Exporting,
    /// Count with this counter instead of the best one (`cpb doctor` lists them).
    #[arg(long, value_name = "NAME")]
    pub(crate) counter: Option<String>,
    /// Measure on CPU N instead of the last of the most capable allowed ones.
    #[arg(long, value_name = "N", value_parser = arguments::cpu, allow_negative_numbers = true)]
    pub(crate) cpu: Option<usize>,
    #[command(flatten)]
    pub(crate) sizes: Sizes,
    #[command(flatten)]
    pub(crate) repeats: Repeats,
    #[command(flatten)]
    pub(crate) saving: Saving,
    /// Whether to use only milo's names and print only what milo prints.
    #[arg(skip)]
    pub(crate) as_milo: bool,
}

pub(crate) fn execute(request: &Arguments) -> Result<u8, CliError> {
    let stop = interrupt::flag();
    saved::try_store(&request.saving, &stop)?;
    let libraries = LibrarySet::discover_only(&[LibrarySpec::installed(LIBRARY)], TIMEOUT);
    libraries.report_missing();
    let offers: Vec<Offer> = libraries.offers().map(|(_, offer)| offer.clone()).collect();
    let mut names = names::names(&offers, true);
    names.retain(|name| name.is_milos || !request.as_milo);
    let exporter = request.exporting.begin(Format::JSON)?;
    if request.expression == LIST {
        return request.list(&names, exporter);
    }
    let chosen = request.choose(&names)?;
    let (chosen, complete) = request.available(chosen);
    let (run, samples) = request.measure(&libraries, &chosen, &stop)?;
    let printed = exporter.write(&PrimitiveDocument {
        view: View { repeats: &request.repeats, chosen: &chosen, run: &run },
        compiler: option_env!("CPB_COMPILER"),
        verbose: request.verbose,
        indented: !request.as_milo && std::io::stdout().is_terminal(),
    });
    let (saving, samples, warns) = (&request.saving, Some(&samples), !request.as_milo);
    let called_as = if request.as_milo { CalledAs::Milo } else { CalledAs::Cpb };
    RunOutput { saving, samples, called_as, warns, complete }.end(&run, printed, &stop)
}

impl Arguments {
    fn list(&self, names: &[Name], exporter: Exporter) -> Result<u8, CliError> {
        for parameter in Parameter::ALL.into_iter().filter(|p| self.sizes.of(*p).is_some()) {
            self.needless(format!("{parameter} is no parameter of {LIST}"))?;
        }
        let names: Vec<&Name> =
            names.iter().filter(|name| self.advanced || name.backend.is_none()).collect();
        if self.exporting.is_given() {
            exporter.write(&Names(&names))?;
        } else {
            let lines: String = names.iter().map(|name| format!("{}\n", name.name)).collect();
            output::print(&lines)?;
        }
        Ok(0)
    }

    /// Returns the names that match the expression, each with its parameters.
    fn choose(&self, names: &[Name]) -> Result<Vec<Chosen>, CliError> {
        let Self { expression, sizes, advanced, .. } = self;
        let asked = NameQuery { expression, sizes, advanced: *advanced };
        let meant = asked.names(names).map_err(refused)?;
        asked.needless(&meant).into_iter().try_for_each(|reason| self.needless(reason))?;
        let (chosen, unfit) = asked.chosen(&meant).map_err(refused)?;
        unfit.iter().for_each(|reason| output::warn(&format!("left out: {reason}")));
        Ok(chosen)
    }

    /// Rejects an unused parameter, which milo ignores.
    fn needless(&self, reason: String) -> Result<(), CliError> {
        if !self.as_milo {
            return Err(CliError::Usage(reason));
        }
        output::warn(&reason);
        Ok(())
    }

    /// Reports names that cannot run here. One requested by its exact name is kept and becomes an
    /// error; those matched by a pattern are dropped, unless none can run.
    fn available(&self, chosen: Vec<Chosen>) -> (Vec<Chosen>, bool) {
        let some_can = chosen.iter().any(|chosen| chosen.name.offer.is_ok());
        let (kept, left_out): (Vec<Chosen>, Vec<Chosen>) = chosen.into_iter().partition(|chosen| {
            chosen.name.offer.is_ok() || !some_can || chosen.name.name == self.expression
        });
        let missing = |Chosen { name, .. }: &Chosen| {
            Some(format!("{}: {}", name.name, name.offer.as_ref().err()?))
        };
        let left_out = left_out.iter().filter_map(missing);
        left_out.for_each(|it| output::inform(&format!("without {it}")));
        let failed: Vec<String> = kept.iter().filter_map(missing).collect();
        failed.iter().for_each(|it| output::complain(it));
        (kept, failed.is_empty())
    }

    fn measure(
        &self,
        libraries: &LibrarySet,
        chosen: &[Chosen],
        stop: &AtomicBool,
    ) -> Result<(Run, SampleFile), CliError> {
        let clock = self.repeats.cpu_clock;
        let invocation = MeasurementContext::begin(self.counter.as_deref(), clock, self.cpu)?;
        let max_time = self.max_time;
        let rounds = u32::try_from(ROUNDS.min(self.repeats.repeats_time)).unwrap_or(1);
        let time = (max_time.map(|time| invocation.left_of(time)), time_budget::PRIMITIVE.of(1));
        let usual = sampling::of_rows(rounds, Rounds::Fixed(rounds), time, TIMEOUT);
        let sampling = Sampling { limit: None, ..usual };
        let rows = chosen.iter().filter_map(|chosen| self.row(chosen)).collect();
        let plan = invocation.plan(libraries, rows, sampling);
        Ok(invocation.run(&plan, stop, Bar::of(max_time), |bar, progress| {
            bar.tell_of(progress, |it| {
                format!("{} ({}) {}", it.primitive, it.operation.name(), it.backend)
            });
        }))
    }

    /// Returns the row of a name; `None` if there is nothing to run.
    fn row(&self, chosen: &Chosen) -> Option<Row> {
        let offer = chosen.name.offer.as_ref().ok()?;
        let value = |parameter: Parameter| {
            let found = chosen.parameters.iter().find(|(p, _)| *p == parameter);
            found.map(|(_, value)| *value as usize)
        };
        let bytes = value(Parameter::Bytes).or_else(|| value(Parameter::Message)).unwrap_or(0);
        let (length, output_bytes, key_bytes) =
            match (chosen.name.member.family, offer.operation.row().message) {
                (Family::Codec, Role::Text) => {
                    (codec::encoded_len(&offer.primitive, bytes), Some(bytes), None)
                }
                (Family::Hkdf | Family::Pbkdf2, _) => {
                    let iterations = value(Parameter::Iterations).unwrap_or(1);
                    (iterations, value(Parameter::Key), value(Parameter::Ikm))
                }
                _ => (bytes, None, value(Parameter::Key)),
            };
        let parameters = Parameters {
            output_bytes,
            key_bytes,
            nonce_bytes: value(Parameter::Salt),
            aad_bytes: value(Parameter::Aad).or_else(|| value(Parameter::Info)).unwrap_or(0),
            ..Parameters::default()
        };
        let Repeats { repeats_time: timed, repeats_warm: warm, .. } = self.repeats;
        let row = Row::new(LIBRARY, offer, Contract::Oneshot, parameters, vec![length]);
        Some(Row { calls: Some(Calls { timed, warm }), ..row })
    }
}

fn refused(refused: Refused) -> CliError {
    match &refused {
        Refused::Unknown { expression, known } => {
            let fault = unknown("primitive", expression, known.iter().map(String::as_str));
            CliError::Usage(fault.to_string().replace("cpb list shows", "the list has"))
        }
        Refused::NeedsAdvanced(_) | Refused::Parameters(_) => usage!("{refused}"),
    }
}
