//! What there is room for.

use super::{BETWEEN, Line, Table};
use crate::column::{Align, Column};
use crate::wrap::width;

/// What stands where, in a room.
pub(super) struct Layout {
    /// How wide each column is; `None` for those that are not beside the others.
    pub(super) widths: Vec<Option<usize>>,
    /// Columns whose cells stand below each row.
    pub(super) below: Vec<usize>,
    /// Whether cells that can are short.
    pub(super) is_short: bool,
}

/// A column is never cut to less; nor for the sake of other columns to less than a short name.
const SHORTEST_TEXT: usize = 8;
const SHORT_NAME: usize = 12;
impl Table {
    /// The headings of the columns that are left out where lines have so much `room`.
    #[must_use]
    pub fn left_out(&self, room: Option<usize>) -> Vec<&str> {
        let Layout { widths, below, .. } = self.layout(room);
        let hidden = widths
            .iter()
            .enumerate()
            .filter(|(place, width)| width.is_none() && !below.contains(place));
        hidden.map(|(place, _)| self.columns[place].heading.as_str()).collect()
    }

    /// How wide each column is.
    fn natural(&self, is_short: bool) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|column| width(&column.heading)).collect();
        for line in &self.lines {
            let (Line::Cells(cells) | Line::Note(cells, _)) = line else { continue };
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = (*widest).max(width(cell.fitting(is_short)));
            }
        }
        widths
    }

    /// Which columns there are in so much `room`, how wide, and what goes below the rows.
    pub(super) fn layout(&self, room: Option<usize>) -> Layout {
        let all = |is_short| Layout {
            widths: self.natural(is_short).into_iter().map(Some).collect(),
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
                (0..natural.len()).filter(|&column| is_meant(&self.columns[column])).collect();
            found.sort_by_key(|&column| self.columns[column].rank);
            found
        };
        let others = of(&|it| it.rank != 0 && !it.is_asked);
        let mut usual = of(&|it| it.rank != 0 && it.is_asked);
        let mut gone = others.clone();
        // Names become shorter before lengths go.
        let shortened = |gone: &[usize]| {
            let mut widths = natural.clone();
            gone.iter().for_each(|&column| widths[column] = None);
            self.shorten(&mut widths, room, SHORT_NAME);
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
        // Of all else, the first by rank come in again while there is room.
        for column in others {
            widths[column] = natural[column];
            if shown(widths) > room {
                widths[column] = None;
            }
        }
        self.shorten(widths, room, SHORTEST_TEXT);
        layout
    }

    /// Takes from the widest texts, none of which becomes shorter than `least`, until all fit.
    fn shorten(&self, widths: &mut [Option<usize>], room: usize, least: usize) {
        for _ in 0..shown(widths).saturating_sub(room) {
            let texts = self.columns.iter().zip(widths.iter_mut());
            let may_be_cut = |column: &Column| !column.is_whole || least < SHORT_NAME;
            let texts =
                texts.filter(|(column, _)| column.align == Align::Left && may_be_cut(column));
            let widest = texts.filter_map(|(_, width)| width.as_mut()).max();
            let Some(widest) = widest.filter(|width| **width > least) else { return };
            *widest -= 1;
        }
    }
}

/// How wide a line of these columns is.
pub(super) fn shown(widths: &[Option<usize>]) -> usize {
    let shown = widths.iter().flatten();
    (shown.clone().sum::<usize>() + shown.count() * BETWEEN.len()).saturating_sub(BETWEEN.len())
}
