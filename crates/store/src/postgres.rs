//! Keeps a store in a database of a PostgreSQL server.
//!
//! The client is tokio-postgres on a single-threaded runtime, so that waiting can be given up, and
//! independent statements are sent without waiting in between.

mod bounded;
mod connect;
mod fault;
mod passwords;
mod schema;
mod tls;
mod waiting;

use crate::database::{Database, Row, Value};
use crate::{Address, Limit, StoreError, StoreLocation};
use connect::Connected;
use futures_util::future::try_join_all;
use futures_util::{StreamExt, pin_mut};
use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::future::Future;
use std::io::{Read, Seek};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::SpooledTempFile;
use tokio::runtime::Runtime;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Statement};
use waiting::limited;

/// Statements sent before waiting for results.
const AT_ONCE: usize = 1000;

/// An open database.
pub(crate) struct Postgres {
    client: Client,
    /// Why the connection ended; empty while it is open.
    end: Arc<OnceLock<String>>,
    runtime: Runtime,
    address: Arc<Address>,
    prepared: RefCell<HashMap<&'static str, Statement>>,
    limit: Option<Limit>,
}

/// Opens the store at `address` and migrates it to the newest version; creates it if `create` is
/// set. No later statement takes longer than `patience`, and nothing continues after `limit`.
pub(crate) fn open(
    address: &Arc<Address>,
    create: bool,
    patience: Option<Duration>,
    limit: Option<&Limit>,
) -> Result<Box<dyn Database + Send>, StoreError> {
    let (runtime, Connected { client, end }) = connect::connect(address, limit)?;
    let (address, prepared, limit) = (address.clone(), RefCell::default(), limit.cloned());
    let database = Postgres { client, end, runtime, address, prepared, limit };
    schema::prepare(&database, create)?;
    patience.map_or(Ok(()), |time| database.give_up_after(time))?;
    Ok(Box::new(database))
}

impl Postgres {
    /// Runs `work`, which waits for the server.
    fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StoreError> {
        match self.runtime.block_on(limited(self.limit.as_ref(), work)) {
            Ok(done) => done.map_err(|error| self.fault(&error)),
            Err(reason) => Err(StoreError::Io { place: self.place(), reason }),
        }
    }

    fn fault(&self, error: &tokio_postgres::Error) -> StoreError {
        match self.end.get() {
            Some(reason) if error.code().is_none() => {
                let reason = format!("the connection is lost ({reason})");
                StoreError::Io { place: self.place(), reason }
            }
            _ => fault::of(&self.address, error),
        }
    }

    fn place(&self) -> StoreLocation {
        StoreLocation::Server(self.address.clone())
    }

    fn statement(&self, query: &'static str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.prepared.borrow().get(query) {
            return Ok(statement.clone());
        }
        let statement = self.wait(self.client.prepare(query))?;
        self.prepared.borrow_mut().insert(query, statement.clone());
        Ok(statement)
    }

    /// Limits the time of all later statements.
    fn give_up_after(&self, time: Duration) -> Result<(), StoreError> {
        // 0 would mean no limit.
        self.batch(&format!("SET statement_timeout = {}", time.as_millis().max(1)))
    }

    /// Executes statements without parameters.
    fn batch(&self, statements: &str) -> Result<(), StoreError> {
        self.wait(self.client.batch_execute(statements))
    }
}

impl Database for Postgres {
    fn rows(
        &self,
        query: &'static str,
        parameters: &[Value<'_>],
        take: &mut dyn FnMut(&dyn Row) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(query)?;
        let rows = self.wait(self.client.query_raw(&statement, parameters.iter()))?;
        self.runtime.block_on(async {
            pin_mut!(rows);
            loop {
                let next = limited(self.limit.as_ref(), rows.next()).await;
                match next.map_err(|reason| StoreError::Io { place: self.place(), reason })? {
                    None => return Ok(()),
                    Some(row) => {
                        let row = row.map_err(|error| self.fault(&error))?;
                        take(&row).map_err(|what| StoreError::damaged(&self.place(), what))?;
                    }
                }
            }
        })
    }

    fn execute(&self, statement: &'static str, all: &[Vec<Value<'_>>]) -> Result<u64, StoreError> {
        let statement = self.statement(statement)?;
        let mut changed = 0;
        for part in all.chunks(AT_ONCE) {
            let each = part.iter().map(|row| self.client.execute_raw(&statement, row.iter()));
            changed += self.wait(try_join_all(each))?.into_iter().sum::<u64>();
        }
        Ok(changed)
    }

    fn insert_document(
        &self,
        run: i64,
        description: &[u8],
        records: &mut SpooledTempFile,
    ) -> Result<(), StoreError> {
        let mut packed = Vec::new();
        let read = records.rewind().and_then(|()| records.read_to_end(&mut packed));
        read.map_err(|error| StoreError::unfit(&error))?;
        if packed.len() > bounded::MOST_IN_A_ROW {
            let reason = "it has more records than a row of a database takes".to_owned();
            return Err(StoreError::Unfit { reason });
        }
        let row = vec![run.into(), description.into(), packed.as_slice().into()];
        let insert = "INSERT INTO documents (run, description, records) VALUES ($1, $2, $3)";
        self.execute(insert, &[row]).map(|_| ())
    }

    fn begin(&self) -> Result<(), StoreError> {
        // Writers run one after the other, as with a file: PostgreSQL would abort one of two that
        // insert the same series in different order.
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({})", schema::LOCK);
        self.batch(&begin).inspect_err(|_| self.roll_back())
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    fn roll_back(&self) {
        // If this fails, the connection is gone, and the transaction with it.
        if !self.client.is_closed() {
            let _ = self.batch("ROLLBACK");
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match *self {
            Value::Integer(number) if *kind == Type::INT4 => {
                i32::try_from(number)?.to_sql(kind, out)
            }
            Value::Integer(number) => number.to_sql(kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            // The only character that PostgreSQL's text cannot contain.
            Value::Text(text) if text.contains('\0') => {
                text.replace('\0', "\\u{0}").to_sql(kind, out)
            }
            Value::Text(text) => text.to_sql(kind, out),
            Value::Bytes(bytes) => bytes.to_sql(kind, out),
            Value::Nothing => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        // The server reports it if a column has another type than cpb gives it.
        true
    }

    to_sql_checked!();
}

impl Row for tokio_postgres::Row {
    fn integer(&self, column: usize) -> Result<i64, String> {
        self.try_get(column).map_err(|error| crate::address::error_chain(&error))
    }

    fn real(&self, column: usize) -> Result<Option<f64>, String> {
        self.try_get(column).map_err(|error| crate::address::error_chain(&error))
    }

    fn text(&self, column: usize) -> Result<Option<&str>, String> {
        self.try_get(column).map_err(|error| crate::address::error_chain(&error))
    }

    fn bytes(&self, column: usize) -> Result<&[u8], String> {
        self.try_get(column).map_err(|error| crate::address::error_chain(&error))
    }
}
