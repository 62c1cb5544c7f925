//! Raw samples on their way to where they are kept: in a file without a name,
//! since those of a long run would take as much memory as all else together.

use cpb_model::{NotPacked, RawRound, RawRounds};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The raw samples of a run, on disk.
#[derive(Debug)]
pub struct Spool {
    file: File,
    end: u64,
    /// Where each round of a row lies, by row.
    rows: Vec<Vec<Round>>,
}

/// A round of a row: a [`RawRounds`] for each length, one after the other,
/// each behind its size in bytes as four.
#[derive(Debug, Clone, Copy)]
struct Round {
    start: u64,
    bytes: u32,
}

impl Spool {
    /// An empty one for so many rows, in the folder for temporary files.
    ///
    /// # Errors
    /// When no file can be made there.
    pub(crate) fn new(rows: usize) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()?, end: 0, rows: vec![Vec::new(); rows] })
    }

    /// Adds a round of `row`, which has samples for each length.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add(&mut self, row: usize, round: Vec<RawRound>) -> io::Result<()> {
        let mut written = Vec::new();
        for raw in round {
            let rounds: RawRounds = [raw].into_iter().collect();
            let packed = rounds.packed();
            let bytes = u32::try_from(packed.len()).map_err(io::Error::other)?;
            written.extend_from_slice(&bytes.to_le_bytes());
            written.extend_from_slice(packed);
        }
        let bytes = u32::try_from(written.len()).map_err(io::Error::other)?;
        self.file.write_all_at(&written, self.end)?;
        self.rows[row].reserve_exact(1);
        self.rows[row].push(Round { start: self.end, bytes });
        self.end += u64::from(bytes);
        Ok(())
    }

    /// The samples of a row, by length.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn samples(&self, row: usize) -> io::Result<Vec<RawRounds>> {
        let mut by_length: Vec<Vec<u8>> = Vec::new();
        for round in &self.rows[row] {
            let mut bytes = vec![0; round.bytes as usize];
            self.file.read_exact_at(&mut bytes, round.start)?;
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
            samples: Samples { calls: 3, ticks, ..Samples::default() },
        }
    }

    #[test]
    fn rounds_come_back_by_row_and_length() {
        let mut spool = Spool::new(3).unwrap();
        spool.add(2, vec![round(1), round(2)]).unwrap();
        spool.add(0, vec![round(3)]).unwrap();
        spool.add(2, vec![round(4), round(5)]).unwrap();
        let samples = |row| -> Vec<Vec<RawRound>> {
            spool.samples(row).unwrap().iter().map(|rounds| rounds.iter().collect()).collect()
        };
        assert_eq!(samples(0), [[round(3)]]);
        assert_eq!(samples(1), Vec::<Vec<RawRound>>::new());
        assert_eq!(samples(2), [[round(1), round(4)], [round(2), round(5)]]);
    }
}
