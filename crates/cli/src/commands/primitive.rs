//! `cpb primitive`: cpb's own kernels by milo's names, parameters and JSON.

mod choice;

use crate::arguments::{self, Saving};
use crate::fault::{Fault, NOT_MEASURED};
use crate::primitives::{self, Family, Name, Parameter};
use crate::progress::Bar;
use crate::run_record::{self, Start};
use crate::shelf::Shelf;
use crate::{CalledAs, interrupt, output, saved, views};
use clap::Args;
use cpb_engine::{
    Calls, LibrarySpec, Plan, Progress, QuietMemory, Rounds, Row, Sampling, Spool, host, measure,
};
use cpb_libraries::codec;
use cpb_model::{Contract, Offer, Role, Run};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const LIBRARY: &str = "native";
/// How long it may take on a core that is hardly ever quiet.
const BUDGET: Duration = Duration::from_secs(20);
const LIST: &str = "list";
/// Fresh processes over which the calls are spread.
const ROUNDS: u64 = 8;
const BATCH: Duration = Duration::from_micros(30);
const WARM_UP: Duration = Duration::from_micros(500);
/// Kernels of ours do not hang, but a round of slow calls may take long.
const TIMEOUT: Duration = Duration::from_secs(3600);

const MOST_REPEATS: u64 = 1_000_000_000;

pub(crate) use choice::{Chosen, Sizes};

/// Measure cpb's own kernels by name and parameters, keying included
///
/// Names, parameters and the JSON are those of `milo benchmark`. One call makes and
/// keys its context, works and finishes (the contract `oneshot`).
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// `list`, or a pattern with * of names on that list; it need not begin where
    /// the name does.
    #[arg(value_name = "EXPRESSION")]
    expression: String,
    /// Names with a backend, too.
    #[arg(long)]
    advanced: bool,
    /// Wrap the JSON with command, project and compiler.
    #[arg(long)]
    verbose: bool,
    /// How to print; JSON, or for the list names only, where not given.
    #[arg(long, value_enum)]
    format: Option<arguments::Format>,
    /// Count with this counter instead of the best one (`cpb doctor` lists them).
    #[arg(long, value_name = "NAME")]
    counter: Option<String>,
    /// Measure on CPU N instead of the last of the most capable allowed ones.
    #[arg(long, value_name = "N", value_parser = arguments::cpu, allow_negative_numbers = true)]
    cpu: Option<usize>,
    #[command(flatten)]
    sizes: Sizes,
    #[command(flatten)]
    repeats: Repeats,
    #[command(flatten)]
    saving: Saving,
}

/// How often, and at which clock.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Repeats and clock")]
pub(crate) struct Repeats {
    /// Take so many samples that their middle halves hold at least N calls that
    /// nothing disturbed. The figure is the mean, from the first to the fifth
    /// decile of eight processes, of the mean of the middle half of each one's
    /// samples; calls counts all accepted ones.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = repeats_time,
          allow_negative_numbers = true)]
    pub(crate) repeats_time: u64,
    /// Make at least N calls before them.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = repeats_warm,
          allow_negative_numbers = true)]
    pub(crate) repeats_warm: u64,
    /// Take the core clock to be N MHz instead of measuring it; cycles are then
    /// time × N.
    #[arg(long, value_name = "N", value_parser = arguments::megahertz,
          allow_negative_numbers = true)]
    pub(crate) cpu_clock: Option<f64>,
}

/// What is asked for, in either form.
pub(crate) struct Request {
    pub(crate) expression: String,
    pub(crate) sizes: Sizes,
    pub(crate) repeats: Repeats,
    pub(crate) advanced: bool,
    pub(crate) verbose: bool,
    pub(crate) format: Option<arguments::Format>,
    pub(crate) counter: Option<String>,
    pub(crate) cpu: Option<usize>,
    pub(crate) saving: Saving,
    /// With milo's names only, and printing nothing that milo does not.
    pub(crate) as_milo: bool,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    serve(&Request {
        expression: arguments.expression.clone(),
        sizes: arguments.sizes.clone(),
        repeats: arguments.repeats.clone(),
        advanced: arguments.advanced,
        verbose: arguments.verbose,
        format: arguments.format,
        counter: arguments.counter.clone(),
        cpu: arguments.cpu,
        saving: arguments.saving.clone(),
        as_milo: false,
    })
}

pub(crate) fn serve(request: &Request) -> Result<u8, Fault> {
    let stop = interrupt::flag();
    let shelf = Shelf::look_only(&[LibrarySpec::installed(LIBRARY)], TIMEOUT);
    shelf.report_missing();
    let offers: Vec<Offer> = shelf.offers().map(|(_, offer)| offer.clone()).collect();
    let mut names = primitives::names(&offers, true);
    names.retain(|name| name.is_milos || !request.as_milo);
    if request.expression == LIST {
        return request.list(&names);
    }
    let chosen = request.choose(&names)?;
    let (chosen, complete) = request.available(chosen);
    let (run, samples) = request.measure(&shelf, &chosen, &stop)?;
    let view = views::primitive::View { request, chosen: &chosen, run: &run };
    let printed = view.print(request.format.unwrap_or(arguments::Format::Json));
    let saved = saved::save(&request.saving, &run, Some(&samples));
    saved.tell(if request.as_milo { CalledAs::Milo } else { CalledAs::Cpb });
    printed?;
    if !request.as_milo {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    let all_measured = run.records.iter().all(|record| record.failure.is_none());
    Ok(interrupt::status(&stop, if all_measured && complete { 0 } else { NOT_MEASURED }))
}

impl Request {
    fn list(&self, names: &[Name]) -> Result<u8, Fault> {
        if let Some(parameter) = Parameter::ALL.into_iter().find(|p| self.sizes.of(*p).is_some()) {
            return Err(Fault::Usage(format!("{parameter} is no parameter of {LIST}")));
        }
        let names: Vec<&Name> =
            names.iter().filter(|name| self.advanced || name.backend.is_none()).collect();
        match self.format {
            None => {
                let lines: String = names.iter().map(|name| format!("{}\n", name.name)).collect();
                output::print(&lines)?;
            }
            Some(format) => views::primitive::list(&names, format)?,
        }
        Ok(0)
    }

    /// Says which cannot run here. One that was asked for by its very name stays, to
    /// be an error; those a pattern happened to mean are left out, unless none can run.
    fn available(&self, chosen: Vec<Chosen>) -> (Vec<Chosen>, bool) {
        let some_can = chosen.iter().any(|chosen| chosen.name.offer.is_ok());
        let (kept, left_out): (Vec<Chosen>, Vec<Chosen>) = chosen.into_iter().partition(|chosen| {
            chosen.name.offer.is_ok() || !some_can || chosen.name.name == self.expression
        });
        for Chosen { name, .. } in &left_out {
            if let Err(reason) = &name.offer {
                output::inform(&format!("without {}: {reason}", name.name));
            }
        }
        let mut complete = true;
        for Chosen { name, .. } in &kept {
            if let Err(reason) = &name.offer {
                output::complain(&format!("{}: {reason}", name.name));
                complete = false;
            }
        }
        (kept, complete)
    }

    fn measure(
        &self,
        shelf: &Shelf,
        chosen: &[Chosen],
        stop: &AtomicBool,
    ) -> Result<(Run, Spool), Fault> {
        let start = Start::now();
        let host = host::describe();
        let rounds = u32::try_from(ROUNDS.min(self.repeats.repeats_time)).unwrap_or(1);
        let plan = Plan {
            libraries: shelf.usable(),
            witnesses: shelf.witnesses(),
            rows: chosen.iter().filter_map(|chosen| self.row(chosen)).collect(),
            sampling: Sampling {
                samples: rounds,
                batch: BATCH,
                warm_up: WARM_UP,
                limit: None,
                rounds: Rounds::Fixed(rounds),
                budget: BUDGET,
                timeout: TIMEOUT,
            },
            clock: arguments::clock(self.counter.as_deref(), self.repeats.cpu_clock)?,
            cpus: arguments::cpus(self.cpu, &host)?,
            memory: QuietMemory::of(&host),
            seed: 0,
        };
        let bar = Bar::new();
        let (measured, samples) = measure(&plan, stop, &mut |progress| {
            if let Progress::Failed { row, failure } = progress {
                bar.aside(|| {
                    let subject = &row.subject;
                    output::complain(&format!(
                        "{} ({}) {}: {}",
                        subject.primitive,
                        subject.operation.name(),
                        subject.backend,
                        failure.reason
                    ));
                });
            }
            bar.follow(progress);
        });
        bar.finish();
        Ok((run_record::assemble(&start, host, &plan, measured), samples))
    }

    /// `None` where there is nothing to run.
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
        Some(Row {
            output_bytes,
            key_bytes,
            nonce_bytes: value(Parameter::Salt),
            aad_bytes: value(Parameter::Aad).or_else(|| value(Parameter::Info)).unwrap_or(0),
            calls: Some(Calls {
                timed: self.repeats.repeats_time,
                warm: self.repeats.repeats_warm,
            }),
            ..Row::new(LIBRARY, offer, Contract::Oneshot, vec![length])
        })
    }
}

fn repeats_time(text: &str) -> Result<u64, String> {
    whole_number(text, 1, MOST_REPEATS).ok_or_else(|| {
        format!("the number of calls is a whole number from 1 to {MOST_REPEATS}, not '{text}'")
    })
}

fn repeats_warm(text: &str) -> Result<u64, String> {
    whole_number(text, 0, MOST_REPEATS).ok_or_else(|| {
        format!("the number of calls is a whole number from 0 to {MOST_REPEATS}, not '{text}'")
    })
}

fn whole_number(text: &str, least: u64, most: u64) -> Option<u64> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}
