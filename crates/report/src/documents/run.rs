//! Makes the document of a run: implementations ranked under each primitive.

mod across;
mod fields;
mod visible_columns;

use self::fields::{Line, fields, states};
use self::visible_columns::VisibleColumns;
use super::Order;
use super::{header, layout, one_by_one, sums};
use crate::Document;
use crate::failure;
use crate::{Cell, Libraries, Rows, Section, Style, Table, paths, resources};
use cpb_figures::{Group, RowFlag, Standing, across};
use cpb_model::{Figure, Record, Run};

pub use fields::intercept;

/// A run, as the result of `command`.
pub struct RunDocument<'a> {
    /// The command that measured or loaded it.
    pub command: &'static str,
    pub run: &'a Run,
    /// Message lengths that get rates.
    pub sizes: &'a [usize],
    /// Whether these lengths were requested, so that none is left out.
    pub asked: bool,
    /// The order of the rows.
    pub order: Order,
    /// The heading above it.
    pub title: Option<Cell>,
    /// If set, ranks all primitives of an operation together, at this message length.
    pub across: Option<usize>,
    /// Whether to show what each library reports about itself, and its file.
    pub verbose: bool,
    /// Whether to show costs besides cycles, if known.
    pub resources: bool,
}

impl Document for RunDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        let records = &self.run.records;
        let mut groups = match self.across {
            Some(length) => across(records, length),
            None => self.order.groups(records),
        };
        let is_short = self.across.is_some() && !self.verbose;
        let left_out = is_short.then(|| across::keep_first(&mut groups)).flatten();
        let shown = match self.across {
            Some(length) => VisibleColumns::across(&groups, length),
            None => VisibleColumns::of(&groups, self.sizes, self.asked, self.order),
        };
        let table = self.table(&groups, &shown, &libraries);
        let is_shown = groups.iter().flat_map(|group| &group.rows).map(|row| row.record);
        let rows = Section {
            before: self.title.iter().cloned().chain(header::lines(self.run)).collect(),
            table,
            after: left_out
                .into_iter()
                .chain(layout::line(is_shown))
                .chain(legend(&groups, shown.words(self.run), self.across.is_none()))
                .chain(libraries.lines(self.verbose))
                .collect(),
            ..Section::default()
        };
        let sums = sums::section(self.run, &libraries);
        let one_by_one = one_by_one::section(self.run, self.sizes, &libraries);
        let paths = paths::section(self.run, &libraries, self.verbose);
        let resources = || resources::section(self.run, &libraries);
        let resources = self.resources.then(resources).flatten();
        [Some(rows), one_by_one, paths, resources, sums].into_iter().flatten().collect()
    }

    fn rows(&self) -> Rows<'_> {
        rows_of_run(self.run, self.order)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}

impl RunDocument<'_> {
    fn table(&self, groups: &[Group], shown: &VisibleColumns, libraries: &Libraries) -> Table {
        let fields = fields(shown);
        let mut table = fields.table();
        for group in groups {
            table.blank();
            table.title(shown.title(group));
            let others = shown.others();
            let best: Vec<_> = others.iter().map(|&size| group.standings_at(size)).collect();
            for (place, row) in group.rows.iter().enumerate() {
                let at = best.iter().map(|best| best[place]).collect();
                let line = Line::of(self.run, group, row, libraries).with_standings(at);
                fields.add(&mut table, &line, failure(row.record));
            }
        }
        table
    }
}

/// Returns rows in the run's own order, with ranks and factors by `order`.
pub fn rows_of_run(run: &Run, order: Order) -> Rows<'_> {
    let libraries = Libraries::of(run);
    let mut lines: Vec<Line> = Vec::new();
    for group in order.groups(&run.records) {
        lines.extend(group.rows.iter().map(|row| Line::of(run, &group, row, &libraries)));
    }
    lines.sort_by_key(|line| line.row.index);
    fields(&VisibleColumns::default()).rows(lines.into_iter().flat_map(Line::points))
}

/// Explains the columns, and the marks that occur.
fn legend(
    groups: &[Group],
    [figure, by_length, factor]: [String; 3],
    has_slope: bool,
) -> Vec<Cell> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let has_factor = groups.iter().any(|group| group.rows.len() > 1);
    let columns = [
        (true, figure.as_str()),
        (!by_length.is_empty(), by_length.as_str()),
        (rows().any(|row| row.figure.is_some()), "±: 95 % interval"),
        (has_factor, factor.as_str()),
    ];
    let columns = columns.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words);
    let parts: Vec<&str> = columns.chain(marks(groups, has_slope)).collect();
    vec![Cell::new(parts.join(" · "), Style::Faint)]
}

fn marks(groups: &[Group], has_slope: bool) -> Vec<&'static str> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let any = |is_so: &dyn Fn(&Record) -> bool| rows().any(|row| is_so(row.record));
    let stands = |standing| rows().any(|row| row.standing == standing);
    let has = |state| any(&|record| RowFlag::of(record).contains(&state));
    let is_open = |figure: Figure| figure.interval.is_none() && !figure.upper_bound;
    let all = [
        (stands(Standing::Best), "★ fastest"),
        (stands(Standing::Tied), "≈ tied"),
        (stands(Standing::Unknown), "? cannot be ranked"),
        (any(&|record| states(record, has_slope).is_empty()), "✓ verified"),
        (has(RowFlag::QuietUnproven), "✓? verified, quiet not proven"),
        (
            has_slope && has(RowFlag::NotLinear),
            "not linear: c/B of the two longest lengths, no intercept",
        ),
        (has(RowFlag::NotPrecise), "~ less precise than asked"),
        (any(&Record::is_bound), "≤ upper bound: the core was not quiet"),
        (rows().any(|it| it.figure.is_some_and(is_open)), "– too few processes for an interval"),
    ];
    all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words).collect()
}
