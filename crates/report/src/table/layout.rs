//! Fits a table into the available room.

use crate::Cell;
use crate::column::{Align, Column};
use crate::wrap::width;

/// The gap between two columns.
pub(super) const BETWEEN: &str = "  ";

pub(crate) enum Line {
    Cells(Vec<Cell>),
    /// Cells up to a column, followed by text that takes the rest of the line.
    Note(Vec<Cell>, Cell),
    Title(String),
    Blank,
}

/// The layout of a table.
pub(super) struct Layout {
    /// The width of each column; `None` if it is not shown beside the others.
    pub(super) widths: Vec<Option<usize>>,
    /// Columns whose cells are shown below each row.
    pub(super) below: Vec<usize>,
    /// Whether cells use their short texts.
    pub(super) is_short: bool,
}

/// No column is cut below this; and none below a short name's length in favour of other columns.
const SHORTEST_TEXT: usize = 8;
const SHORT_NAME: usize = 12;
impl Layout {
    /// Chooses the columns for this `room`, their widths, and those below the rows.
    pub(super) fn of(columns: &[Column], lines: &[Line], room: Option<usize>) -> Self {
        let all = |is_short| Self {
            widths: natural(columns, lines, is_short).into_iter().map(Some).collect(),
            below: Vec::new(),
            is_short,
        };
        let Some(room) = room.filter(|room| shown(&all(false).widths) > *room) else {
            return all(false);
        };
        let mut layout = all(true);
        let widths = &mut layout.widths;
        if shown(widths) <= room {
            return layout;
        }
        let natural = widths.clone();
        let of = |is_meant: &dyn Fn(&Column) -> bool| -> Vec<usize> {
            let mut found: Vec<usize> =
                (0..natural.len()).filter(|&column| is_meant(&columns[column])).collect();
            found.sort_by_key(|&column| columns[column].rank);
            found
        };
        let others = of(&|it| it.rank != 0 && !it.is_asked);
        let mut usual = of(&|it| it.rank != 0 && it.is_asked);
        let mut gone = others.clone();
        // Names become shorter before lengths are dropped.
        let shortened = |gone: &[usize]| {
            let mut widths = natural.clone();
            gone.iter().for_each(|&column| widths[column] = None);
            shorten(columns, &mut widths, room, SHORT_NAME);
            widths
        };
        *widths = shortened(&gone);
        while shown(widths) > room
            && let Some(column) = usual.pop()
        {
            gone.push(column);
            *widths = shortened(&gone);
        }
        if shown(widths) > room {
            layout.below = of(&|it| it.rank == 0 && it.is_asked);
            gone.extend(&layout.below);
            *widths = natural.clone();
            gone.iter().for_each(|&column| widths[column] = None);
        }
        // Of the others, the first by rank return while there is room.
        for column in others {
            widths[column] = natural[column];
            if shown(widths) > room {
                widths[column] = None;
            }
        }
        shorten(columns, widths, room, SHORTEST_TEXT);
        layout
    }
}

/// Returns the natural width of each column.
fn natural(columns: &[Column], lines: &[Line], is_short: bool) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| width(&column.heading)).collect();
    for line in lines {
        let (Line::Cells(cells) | Line::Note(cells, _)) = line else { continue };
        for (widest, cell) in widths.iter_mut().zip(cells) {
            *widest = (*widest).max(width(cell.fitting(is_short)));
        }
    }
    widths
}

/// Shortens the widest texts, each to at least `least`, until all fit.
fn shorten(columns: &[Column], widths: &mut [Option<usize>], room: usize, least: usize) {
    for _ in 0..shown(widths).saturating_sub(room) {
        let texts = columns.iter().zip(widths.iter_mut());
        let may_be_cut = |column: &Column| !column.is_whole || least < SHORT_NAME;
        let texts = texts.filter(|(column, _)| column.align == Align::Left && may_be_cut(column));
        let widest = texts.filter_map(|(_, width)| width.as_mut()).max();
        let Some(widest) = widest.filter(|width| **width > least) else { return };
        *widest -= 1;
    }
}

/// Returns the width of a line with these columns.
pub(super) fn shown(widths: &[Option<usize>]) -> usize {
    let shown = widths.iter().flatten();
    (shown.clone().sum::<usize>() + shown.count() * BETWEEN.len()).saturating_sub(BETWEEN.len())
}
