use super::*;

fn page(index: u32, offset: i64, width: u16) -> Page {
    Page {
        version: 1,
        compatible_version: 0,
        lock: AtomicU32::new(4),
        index: AtomicU32::new(index),
        offset: AtomicI64::new(offset),
        time_enabled: AtomicU64::new(900),
        time_running: AtomicU64::new(800),
        // With the neighbouring bits set, as kernels do.
        capabilities: AtomicU64::new(0b11110),
        width: AtomicU16::new(width),
    }
}

#[test]
fn adds_register_and_offset() {
    let read = page(3, 1000, 48).read(|register| {
        assert_eq!(register.number(), 2);
        Some(234)
    });
    assert_eq!(read, Ok(Reading { count: 1234, enabled: 900, running: 800 }));
}

#[test]
fn a_register_below_zero_is_sign_extended() {
    // As the kernel does it: count down from the offset, so that the sum is right.
    let read = page(1, 1 << 47, 48).read(|_| Some((1 << 48) - (1 << 47) + 5));
    assert_eq!(read.map(|reading| reading.count), Ok(5));
    assert_eq!(sign_extend(0xffff_ffff_ffff, 48), Some(-1));
    assert_eq!(sign_extend(0x8000_0000_0000, 48), Some(-(1 << 47)));
    assert_eq!(sign_extend(0x7fff_ffff_ffff, 48), Some((1 << 47) - 1));
    assert_eq!(sign_extend(0xabcd_0000_0000_0001, 48), Some(1), "bits beyond are ignored");
    assert_eq!(sign_extend(0xffff_fffe, 32), Some(-2));
    assert_eq!(sign_extend(u64::MAX, 64), Some(-1));
    assert_eq!(sign_extend(1 << 63, 64), Some(i64::MIN));
    assert_eq!(sign_extend(1, 1), Some(-1));
    assert_eq!(sign_extend(7, 0), None);
    assert_eq!(sign_extend(7, 65), None);
}

#[test]
fn reads_again_when_the_page_changes_meanwhile() {
    let page = page(1, 1000, 48);
    let mut reads = 0;
    let read = page.read(|register| {
        reads += 1;
        if reads <= 2 {
            // After a context switch, the event is on another register.
            page.lock.fetch_add(2, Relaxed);
            page.index.store(2 + reads, Relaxed);
            page.offset.store(2000 * i64::from(reads), Relaxed);
            page.time_enabled.store(1900, Relaxed);
        }
        Some(u64::from(register.number()))
    });
    assert_eq!(reads, 3);
    assert_eq!(read, Ok(Reading { count: 4003, enabled: 1900, running: 800 }));
}

#[test]
fn a_refusal_counts_only_if_the_page_stood_still() {
    let page = page(1, 1000, 0);
    let mut reads = 0;
    let read = page.read(|_| {
        reads += 1;
        page.lock.fetch_add(u32::from(reads == 1), Relaxed);
        page.width.store(48, Relaxed);
        Some(7)
    });
    assert_eq!(read.map(|reading| reading.count), Ok(1007));
}

#[test]
fn what_cannot_be_read_is_not_read() {
    let no_register =
        |_: Register<'_>| -> Option<u64> { panic!("the register must not be touched") };
    assert_eq!(page(0, 1000, 48).read(no_register), Err(Unreadable::NotCounting));
    let forbidden = page(1, 1000, 48);
    forbidden.capabilities.store(!Page::USER_READ, Relaxed);
    assert_eq!(forbidden.read(no_register), Err(Unreadable::Forbidden));
    assert_eq!(page(33, 1000, 48).read(|_| None), Err(Unreadable::NotCounting));
    assert_eq!(page(1, 1000, 0).read(|_| Some(1)), Err(Unreadable::NotCounting));
}

#[test]
fn refusals_to_open_are_told_apart() {
    let refused =
        |errno, paranoid| open_refused(&std::io::Error::from_raw_os_error(errno), paranoid);
    for errno in [libc::EACCES, libc::EPERM] {
        for (text, paranoid) in
            [(Some("4\n"), Some(4)), (Some("-1\n"), Some(-1)), (Some("x"), None), (None, None)]
        {
            assert_eq!(refused(errno, text), Unavailable::PerfDenied { paranoid });
        }
    }
    for errno in [libc::ENOENT, libc::EOPNOTSUPP, libc::ENODEV, libc::ENXIO] {
        assert_eq!(refused(errno, None), Unavailable::NoHardwareCounter);
    }
    assert_eq!(refused(libc::ENOSYS, Some("2")), Unavailable::NoPerfEvents);
    for (errno, remedy) in
        [(libc::EMFILE, "ulimit -n"), (libc::EBUSY, "PMU"), (libc::EINVAL, "--counter")]
    {
        let text = refused(errno, None).to_string();
        let system = std::io::Error::from_raw_os_error(errno).to_string();
        assert!(text.contains(&system) && text.contains(remedy), "{text}");
    }
}

/// Without a PMU, a software event still has a page, on which the kernel forbids what we must
/// not do.
#[test]
fn a_real_page_of_a_software_event_is_refused() {
    let no_register =
        |_: Register<'_>| -> Option<u64> { panic!("the register must not be touched") };
    let event = match open(Event::TASK_CLOCK) {
        Ok(event) => event,
        Err(unavailable) => return println!("SKIPPED: 1 test, no perf events: {unavailable}"),
    };
    let page = Mapping::new(&event).unwrap();
    // The value that the kernel has written there, if known.
    assert_eq!(page.capabilities.load(Relaxed) & 0b110, 0b010);
    assert_eq!(page.lock.load(Relaxed) % 2, 0);
    assert_ne!(page.time_enabled.load(Relaxed), 0);
    assert_eq!(page.time_enabled.load(Relaxed), page.time_running.load(Relaxed));
    assert_eq!(page.read(no_register), Err(Unreadable::Forbidden));
    let refused = Mapped::open(Event::TASK_CLOCK, no_register, |_| Unavailable::NotCounting);
    assert_eq!(refused.err(), Some(Unavailable::NotCounting));
}
