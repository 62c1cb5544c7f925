//! Stores the raw samples of a run in an unnamed file, since those of a long run would take more
//! memory than everything else.

use cpb_model::{NotPacked, RawRound, RawRounds};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The raw samples of a run, by row.
#[derive(Debug)]
pub struct SampleFile {
    /// The file; `None` if none could be created.
    file: Option<File>,
    end: u64,
    /// The location of each round, by row.
    rows: Vec<Vec<Round>>,
}

/// A round of a row: a [`RawRounds`] for each length, one after the other, each preceded by its
/// size as four bytes.
#[derive(Debug)]
enum Round {
    Filed { start: u64, bytes: u32 },
    InMemory(Vec<u8>),
}

impl SampleFile {
    /// Creates an empty store for `rows` rows, with its file in the temporary folder.
    pub fn new(rows: usize) -> Self {
        let rows = (0..rows).map(|_| Vec::new()).collect();
        Self { file: tempfile::tempfile().ok(), end: 0, rows }
    }

    /// Adds a round of `row`, with samples for each length. What the file does not take stays in
    /// memory, so that a full disk costs no figures.
    pub(crate) fn add(&mut self, row: usize, round: Vec<RawRound>) {
        let mut bytes = Vec::new();
        for raw in round {
            let rounds: RawRounds = [raw].into_iter().collect();
            let packed = rounds.packed();
            bytes.extend_from_slice(&(packed.len() as u32).to_le_bytes());
            bytes.extend_from_slice(packed);
        }
        let written =
            self.file.as_ref().is_some_and(|it| it.write_all_at(&bytes, self.end).is_ok());
        let round = if written {
            let (start, bytes) = (self.end, bytes.len() as u32);
            self.end += u64::from(bytes);
            Round::Filed { start, bytes }
        } else {
            Round::InMemory(bytes)
        };
        // There are tens of thousands of these, so none may waste memory.
        self.rows[row].reserve_exact(1);
        self.rows[row].push(round);
    }

    fn bytes(&self, round: &Round) -> io::Result<Vec<u8>> {
        match round {
            Round::InMemory(bytes) => Ok(bytes.clone()),
            &Round::Filed { start, bytes } => {
                let mut read = vec![0; bytes as usize];
                let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
                file.read_exact_at(&mut read, start)?;
                Ok(read)
            }
        }
    }

    /// Returns the samples of a row, by length.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn samples(&self, row: usize) -> io::Result<Vec<RawRounds>> {
        let mut by_length: Vec<Vec<u8>> = Vec::new();
        for round in &self.rows[row] {
            let bytes = self.bytes(round)?;
            let mut rest = bytes.as_slice();
            let mut index = 0;
            while let Some((size, behind)) = rest.split_first_chunk::<4>() {
                let size = u32::from_le_bytes(*size) as usize;
                let (packed, behind) =
                    behind.split_at_checked(size).ok_or_else(|| io::Error::other(NotPacked))?;
                if by_length.len() == index {
                    by_length.push(Vec::new());
                }
                by_length[index].extend_from_slice(packed);
                (rest, index) = (behind, index + 1);
            }
        }
        by_length
            .into_iter()
            .map(|packed| RawRounds::from_packed(packed).map_err(io::Error::other))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Samples;

    fn round(calibration: usize) -> RawRound {
        let ticks = (0..50).map(|index| 1000 + calibration as u64 * 7 + index).collect();
        RawRound {
            calibration,
            overhead_ticks: 50.0,
            position: None,
            samples: Samples { calls: 3, ticks, ..Samples::default() },
        }
    }

    fn samples(spool: &SampleFile, row: usize) -> Vec<Vec<RawRound>> {
        spool.samples(row).unwrap().iter().map(|rounds| rounds.iter().collect()).collect()
    }

    #[test]
    fn rounds_come_back_by_row_and_length_from_file_and_memory() {
        for file in [tempfile::tempfile().ok(), None] {
            let mut spool = SampleFile { file, ..SampleFile::new(3) };
            spool.add(2, vec![round(1), round(2)]);
            spool.add(0, vec![round(3)]);
            spool.add(2, vec![round(4), round(5)]);
            assert_eq!(samples(&spool, 0), [[round(3)]]);
            assert_eq!(samples(&spool, 1), Vec::<Vec<RawRound>>::new());
            assert_eq!(samples(&spool, 2), [[round(1), round(4)], [round(2), round(5)]]);
        }
    }

    #[test]
    fn what_the_disk_does_not_take_stays_in_memory() {
        let full = File::options().read(true).write(true).open("/dev/full").unwrap();
        let mut spool = SampleFile { file: Some(full), ..SampleFile::new(1) };
        spool.add(0, vec![round(1)]);
        assert_eq!(samples(&spool, 0), [[round(1)]]);
    }
}
