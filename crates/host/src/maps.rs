//! Reads what a process maps, and where.

use std::fmt::Display;
use std::ops::Range;

/// Reads the mappings of a process, `self` or its number; empty if the system does not say.
pub fn read(process: impl Display) -> String {
    std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default()
}

/// A line of `/proc/PID/maps` (proc_pid_maps(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping<'a> {
    pub addresses: Range<u64>,
    /// `r`, `w`, `x`, and `p` if it is private; `-` for each that it lacks.
    pub permissions: &'a str,
    /// Where it begins in its file, in bytes.
    pub offset: u64,
    /// The device and inode of its file.
    pub device: &'a str,
    pub inode: &'a str,
    /// The path of its file, `[name]` of other memory, or empty.
    pub path: &'a str,
    /// Whether its file was deleted.
    pub is_deleted: bool,
}

impl<'a> Mapping<'a> {
    /// Parses a line.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (permissions, offset) = (fields.next()?, number(fields.next()?)?);
        let (device, inode) = (fields.next()?, fields.next()?);
        let path = fields.next().unwrap_or_default().trim_start();
        let existing = path.strip_suffix(" (deleted)");
        Some(Self {
            addresses: number(start)?..number(end)?,
            permissions,
            offset,
            device,
            inode,
            path: existing.unwrap_or(path),
            is_deleted: existing.is_some(),
        })
    }

    /// Whether it can be executed.
    pub fn is_code(&self) -> bool {
        self.permissions.contains('x')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_of_a_line_is_read() {
        let line =
            "7f00-8000 r-xp 00001000 fe:01 77                     /tmp/a folder/x.so (deleted)";
        let mapping = Mapping::parse(line).unwrap();
        let expected = Mapping {
            addresses: 0x7f00..0x8000,
            permissions: "r-xp",
            offset: 0x1000,
            device: "fe:01",
            inode: "77",
            path: "/tmp/a folder/x.so",
            is_deleted: true,
        };
        assert_eq!(mapping, expected);
        assert!(mapping.is_code());
        let heap = Mapping::parse("9000-a000 rw-p 00000000 00:00 0   [heap]").unwrap();
        assert!(!heap.is_code() && !heap.is_deleted && heap.path == "[heap]");
        assert_eq!(Mapping::parse("1-2 r-xp 0 0:0 0").map(|it| it.path), Some(""));
        for line in ["", "nonsense", "- -", "1-2", "x-2 r-xp 0 0:0 0"] {
            assert_eq!(Mapping::parse(line), None, "{line}");
        }
    }

    #[test]
    fn this_program_is_mapped_as_code() {
        let own = std::env::current_exe().unwrap();
        let maps = read("self");
        let mut code = maps.lines().filter_map(Mapping::parse).filter(Mapping::is_code);
        assert!(code.any(|it| own == std::path::Path::new(it.path)));
        assert_eq!(read("nobody"), "");
    }
}
