//! Defines fields of rows, each declared once for people and programs.

use crate::number::{estimate, five_digits, significant};
use crate::{Cell, Column, Rows, Table, date};
use cpb_model::Figure;
use serde_json::{Map, Number, json};
use std::borrow::Cow;

/// The value of a field in a row. Writers choose digits, and date formats.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// No known value.
    #[default]
    Missing,
    Text(String),
    /// Several texts with their separator; an array in JSON.
    Words(Vec<String>, &'static str),
    /// Yes or no.
    Flag(bool),
    /// A count or a length.
    Whole(i128),
    /// A number, with its shown digits.
    Number(f64, usize),
    /// An estimate; for programs with the ends of its interval and its state, if these have names.
    Figure(Figure),
    /// A time, in seconds since 1970.
    Time(i64),
    /// A finished cell for people.
    Cell(Cell),
}

impl Value {
    /// Returns the part of the value with index `part`.
    fn part(self, part: usize) -> Self {
        match (self, part) {
            (Value::Figure(figure), 0) => figure.estimate.into(),
            (Value::Figure(figure), 1) => figure.interval.map(|it| it.low).into(),
            (Value::Figure(figure), 2) => figure.interval.map(|it| it.high).into(),
            (Value::Figure(figure), _) => figure.state().into(),
            (other, _) => other,
        }
    }

    /// Formats it for CSV, with five digits unless stated.
    fn text(self) -> String {
        match self {
            Value::Missing => String::new(),
            Value::Text(text) => text,
            Value::Words(words, between) => words.join(between),
            Value::Flag(flag) => flag.to_string(),
            Value::Whole(number) => number.to_string(),
            Value::Number(value, digits) => significant(value, digits),
            Value::Figure(figure) => five_digits(figure.estimate),
            Value::Time(seconds) => date::timestamp(seconds),
            Value::Cell(cell) => cell.text().to_owned(),
        }
    }

    /// Converts it to JSON, with all digits of numbers.
    fn json(self) -> serde_json::Value {
        match self {
            Value::Missing => serde_json::Value::Null,
            Value::Words(words, _) => words.into(),
            Value::Flag(flag) => flag.into(),
            Value::Whole(number) => Number::from_i128(number).into(),
            Value::Time(seconds) => seconds.into(),
            Value::Number(value, _) => json!(value),
            Value::Figure(figure) => json!(figure.estimate),
            Value::Text(_) | Value::Cell(_) => self.text().into(),
        }
    }

    /// Formats it for people: figures with the digits that their interval supports, numbers in the
    /// column's format, and the column's text for a missing value.
    fn cell(self, column: &Column) -> Cell {
        let text = match (self, column.format) {
            (Value::Cell(cell), _) => return cell,
            (Value::Missing, _) => column.missing.to_owned(),
            (Value::Number(value, _), Some(format)) => format(value),
            (Value::Figure(figure), Some(format)) => format(figure.estimate),
            (Value::Figure(figure), None) => estimate(figure),
            (Value::Time(seconds), _) => date::to_the_minute(seconds),
            (other, _) => other.text(),
        };
        Cell::new(text, column.style)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map(Into::into).unwrap_or_default()
    }
}

/// Types that are values by themselves.
macro_rules! values {
    ($($type:ty: $value:ident => $of:expr),+ $(,)?) => { $(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $of
            }
        }
    )+ };
}

values! {
    String: text => Value::Text(text),
    &str: text => Value::Text(text.to_owned()),
    Vec<String>: words => Value::Words(words, " "),
    bool: flag => Value::Flag(flag),
    i64: number => Value::Whole(number.into()),
    u32: number => Value::Whole(number.into()),
    u64: number => Value::Whole(number.into()),
    usize: number => Value::Whole(number as i128),
    f64: value => Value::Number(value, 5),
    Figure: figure => Value::Figure(figure),
    Cell: cell => Value::Cell(cell),
}

/// A column of rows of `T`, whose names or heading may be absent.
struct Field<'a, T> {
    names: Cow<'static, str>,
    column: Option<Column>,
    value: Of<'a, T>,
    /// The value for tables, if it differs.
    shown: Option<Of<'a, T>>,
}

type Of<'a, T> = Box<dyn Fn(&T) -> Value + 'a>;

fn of<'a, T, V: Into<Value>>(value: impl Fn(&T) -> V + 'a) -> Of<'a, T> {
    Box::new(move |row| value(row).into())
}

/// The fields of rows of `T`, in column order. Data (CSV and JSON) identifies a field by its names:
/// one, or up to four for a figure (estimate, lower and upper end of its interval, state),
/// separated by spaces, with `_` for an omitted one. Tables show it in its column.
pub struct Fields<'a, T> {
    all: Vec<Field<'a, T>>,
    order: &'static str,
    naming: usize,
}

impl<T> Default for Fields<'_, T> {
    fn default() -> Self {
        Self { all: Vec::new(), order: "", naming: 0 }
    }
}

impl<'a, T: 'a> Fields<'a, T> {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the `order` in which names were published in data; others follow. By default, data has
    /// the order of tables.
    #[must_use]
    pub fn ordered(self, order: &'static str) -> Self {
        Self { order, ..self }
    }

    /// Adds a field to all formats.
    #[must_use]
    pub fn field<V: Into<Value>>(
        self,
        names: impl Into<Cow<'static, str>>,
        column: Column,
        value: impl Fn(&T) -> V + 'a,
    ) -> Self {
        self.and(Field { names: names.into(), column: Some(column), value: of(value), shown: None })
    }

    /// Adds a field only to data.
    #[must_use]
    pub fn data_only<V: Into<Value>>(
        self,
        names: impl Into<Cow<'static, str>>,
        value: impl Fn(&T) -> V + 'a,
    ) -> Self {
        self.and(Field { names: names.into(), column: None, value: of(value), shown: None })
    }

    /// Shows the last field differently in tables, in a `column`.
    #[must_use]
    pub fn shown_as<V: Into<Value>>(
        mut self,
        column: Column,
        value: impl Fn(&T) -> V + 'a,
    ) -> Self {
        if let Some(field) = self.all.last_mut() {
            (field.column, field.shown) = (Some(column), Some(of(value)));
        }
        self
    }

    /// Adds a field only to tables.
    #[must_use]
    pub fn table_only<V: Into<Value>>(self, column: Column, value: impl Fn(&T) -> V + 'a) -> Self {
        self.field("", column, value)
    }

    /// Marks the fields so far as naming the row: they precede a note in place of figures.
    #[must_use]
    pub fn naming(self) -> Self {
        let naming = self.columns().count();
        Self { naming, ..self }
    }

    /// Adds the fields of `add` if `are` is true.
    #[must_use]
    pub fn when(self, are: bool, add: impl FnOnce(Self) -> Self) -> Self {
        if are { add(self) } else { self }
    }

    /// Adds the fields of `add` for each of `items`.
    #[must_use]
    pub fn each<I>(
        self,
        items: impl IntoIterator<Item = I>,
        add: impl Fn(Self, I) -> Self,
    ) -> Self {
        items.into_iter().fold(self, add)
    }

    /// Adds `fields` of a `part` of each row.
    #[must_use]
    pub fn with<U: 'a>(self, fields: Fields<'a, U>, part: impl Fn(&T) -> U + Copy + 'a) -> Self {
        let by = |it: Of<'a, U>| -> Of<'a, T> { Box::new(move |row| it(&part(row))) };
        let naming = self.columns().count() + fields.naming;
        let all = self.each(fields.all, |all, Field { names, column, value, shown }| {
            all.and(Field { names, column, value: by(value), shown: shown.map(by) })
        });
        Self { naming, ..all }
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.all.iter().filter_map(|field| field.column.as_ref())
    }

    fn and(mut self, field: Field<'a, T>) -> Self {
        self.all.push(field);
        self
    }

    /// Creates a table with the columns, without rows.
    pub fn table(&self) -> Table {
        Table::new(self.columns().cloned().collect())
    }

    /// Returns the cells of `row` for people.
    pub fn cells(&self, row: &T) -> Vec<Cell> {
        self.each_cell(row).collect()
    }

    fn each_cell(&self, row: &T) -> impl Iterator<Item = Cell> {
        self.all.iter().filter_map(move |field| {
            let column = field.column.as_ref()?;
            Some(field.shown.as_ref().unwrap_or(&field.value)(row).cell(column))
        })
    }

    /// Adds `row` to a table; with a `note` in place of figures, the row's name and the note.
    pub fn add(&self, table: &mut Table, row: &T, note: Option<Cell>) {
        match note {
            None => table.row(self.cells(row)),
            Some(note) => table.note(self.each_cell(row).take(self.naming).collect(), note),
        }
    }

    /// Creates a table of all `rows`.
    pub fn table_of(&self, rows: impl IntoIterator<Item = T>) -> Table {
        self.table_with_notes(rows, |_| None)
    }

    /// Creates a table of all `rows`, with what `note` gives for a row in place of its figures.
    pub fn table_with_notes(
        &self,
        rows: impl IntoIterator<Item = T>,
        note: impl Fn(&T) -> Option<Cell>,
    ) -> Table {
        let mut table = self.table();
        rows.into_iter().for_each(|row| self.add(&mut table, &row, note(&row)));
        table
    }

    /// Returns `rows` for programs, line by line.
    pub fn rows(self, rows: impl Iterator<Item = T> + 'a) -> Rows<'a> {
        let parts = self.parts().map(|(name, place, part)| (name.to_owned(), (place, part)));
        let (names, parts): (Vec<String>, Vec<_>) = parts.unzip();
        let cells = move |row: T| {
            let text =
                |&(place, part): &(usize, usize)| (self.all[place].value)(&row).part(part).text();
            parts.iter().map(text).collect()
        };
        Rows::new(names, rows.map(cells))
    }

    /// Returns one row as a JSON object.
    pub fn json(&self, row: &T) -> Map<String, serde_json::Value> {
        let value = |(name, place, part): (&str, usize, usize)| {
            (name.to_owned(), (self.all[place].value)(row).part(part).json())
        };
        self.parts().map(value).collect()
    }

    /// Returns all `rows` as JSON objects.
    pub fn array(&self, rows: impl IntoIterator<Item = T>) -> serde_json::Value {
        rows.into_iter().map(|row| serde_json::Value::from(self.json(&row))).collect()
    }

    /// Iterates over the names with their field and part, in the order of data.
    fn parts(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        let names = self.all.iter().enumerate().flat_map(|(place, field)| {
            field.names.split(' ').enumerate().map(move |(part, name)| (name, place, part))
        });
        let mut parts: Vec<_> = names.filter(|(name, ..)| !["", "_"].contains(name)).collect();
        let place = |name| self.order.split(' ').position(|it| it == name).unwrap_or(usize::MAX);
        parts.sort_by_key(|(name, ..)| place(*name));
        parts.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, left, markdown, right, text, write_csv};
    use cpb_model::Interval;

    type Row = (&'static str, Option<Figure>);

    fn fields<'a>() -> Fields<'a, Row> {
        let figure = right("c/B").style(Style::Bad).missing("–");
        let share = right("%").format(|share| format!("{share:.3}"));
        Fields::<Row>::new()
            .ordered("name started")
            .field("cycles low high state", figure, |(_, figure)| *figure)
            .table_only(left("mark"), |_| "★")
            .data_only("name", |(name, _)| *name)
            .shown_as(left("library"), |(name, _)| name.len())
            .field("share", share, |_| 0.5)
            .field("started", left("date"), |_| Value::Time(0))
    }

    fn rows() -> [Row; 2] {
        let interval = Some(Interval { low: 5.0, high: 5.5, confidence: 0.95 });
        [("a", Some(Figure::new(5.254_31, interval))), ("bcd", None)]
    }

    #[test]
    fn every_format_has_a_field_its_own_way() {
        let table = fields().table_of(rows());
        let plain = table.render(None).replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
        assert_eq!(
            plain.replace("\u{1b}[1;31m", ""),
            "c/B  mark  library      %  date\n5.3  ★     1        0.500  1970-01-01 00:00\n  –  ★     \
             3        0.500  1970-01-01 00:00\n"
        );
        assert!(markdown(&[table.into()]).contains("| **5.3** | ★ | 1 | 0.500 |"));
        let mut csv = Vec::new();
        write_csv(&mut csv, fields().rows(rows().into_iter())).unwrap();
        assert_eq!(
            String::from_utf8(csv).unwrap(),
            "name,started,cycles,low,high,state,share\n\
             a,1970-01-01T00:00:00Z,5.2543,5.0000,5.5000,measured,0.50000\n\
             bcd,1970-01-01T00:00:00Z,,,,,0.50000\n"
        );
        let expected = json!({
            "name": "a", "started": 0, "cycles": 5.254_31, "low": 5.0, "high": 5.5,
            "state": "measured", "share": 0.5,
        });
        assert_eq!(serde_json::Value::Object(fields().json(&rows()[0])), expected);
        assert_eq!(fields().json(&rows()[1])["cycles"], serde_json::Value::Null);
        assert!(text(&[fields().table().into()], None).contains("library"));
    }
}
