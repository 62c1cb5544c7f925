use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn ticks() -> impl Strategy<Value = Vec<u64>> {
    let near = (700_u64..900).prop_map(|steps| steps * 26);
    vec(prop_oneof![8 => near, 1 => any::<u64>(), 1 => Just(0)], 0..12)
}

fn round() -> impl Strategy<Value = RawRound> {
    let lists = (ticks(), ticks(), ticks(), ticks(), ticks());
    let numbers = (any::<u8>(), 0.0..1e3, any::<u64>(), any::<u32>(), any::<u64>());
    let draws = prop_oneof![Just((0.0, Vec::new())), (1.0..9.0, vec(any::<u64>(), 0..12))];
    let position = proptest::option::of(any::<u8>());
    (numbers, lists, draws, position).prop_map(|(numbers, lists, draws, position)| {
        let (expected_attempts, attempts) = draws;
        let (calibration, overhead_ticks, calls, rejected, watched_nanoseconds) = numbers;
        let (ticks, before, after, probe_before, probe_after) = lists;
        RawRound {
            calibration: calibration.into(),
            overhead_ticks,
            position,
            samples: Samples {
                calls,
                ticks,
                before,
                after,
                probe_before,
                probe_after,
                attempts,
                expected_attempts,
                rejected: rejected.into(),
                busy: 3,
                wanted: 20,
                watched_nanoseconds,
                quiet_nanoseconds: 1,
            },
        }
    })
}

proptest! {
    #[test]
    fn what_is_packed_is_unpacked(rounds in vec(round(), 0..4)) {
        let packed: RawRounds = rounds.iter().cloned().collect();
        prop_assert_eq!(packed.iter().collect::<Vec<_>>(), rounds);
        let again = RawRounds::from_packed(packed.packed().to_vec());
        prop_assert_eq!(again.as_ref(), Ok(&packed));
    }

    #[test]
    fn damage_is_told_or_unpacks_to_something(bytes in vec(any::<u8>(), 0..64)) {
        if let Ok(rounds) = RawRounds::from_packed(bytes) {
            prop_assert_eq!(rounds.is_empty(), rounds.iter().next().is_none());
        }
    }

    #[test]
    fn a_cut_is_noticed(round in round()) {
        let packed: RawRounds = [round].into_iter().collect();
        for length in 1..packed.packed().len() {
            let cut = RawRounds::from_packed(packed.packed()[..length].to_vec());
            prop_assert_eq!(cut, Err(NotPacked));
        }
    }
}

#[test]
fn rounds_from_before_there_were_probes_are_read() {
    // Overhead 55.5; calibration 3, 12 calls, 1 rejected, 2 and 4 dropped,
    // step 26, lengths 2, 1, 1; ticks 20 and 19 steps; brackets 30 and 31.
    let mut packed = 55.5_f64.to_le_bytes().to_vec();
    packed.extend([3, 12, 1, 2, 4, 26, 2, 1, 1, 40, 1, 60, 2]);
    let rounds: Vec<RawRound> = RawRounds::from_packed(packed).unwrap().iter().collect();
    let samples = Samples {
        calls: 12,
        ticks: vec![520, 494],
        before: vec![780],
        after: vec![806],
        rejected: 1,
        busy: 2,
        ..Samples::default()
    };
    let round = RawRound { calibration: 3, overhead_ticks: 55.5, position: None, samples };
    assert_eq!(rounds, [round]);
}

#[test]
fn rounds_that_were_not_placed_are_written_as_ever() {
    let round = |position| RawRound {
        calibration: 3,
        overhead_ticks: 55.5,
        position,
        samples: Samples { calls: 12, ticks: vec![520], ..Samples::default() },
    };
    let packed = |position| RawRounds::from_iter([round(position)]).packed().to_vec();
    let placed = packed(Some(7));
    assert_eq!(placed[..9], [0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 7]);
    assert_eq!(placed[9..], packed(None));
    let text = serde_json::to_string(&round(None)).unwrap();
    assert!(!text.contains("position"), "{text}");
    assert_eq!(serde_json::from_str::<RawRound>(&text).unwrap(), round(None));
}

#[test]
fn samples_of_a_counter_that_moves_in_steps_take_five_bytes() {
    let near = |offset: u64| (0..100).map(|i| (800 + (i * 7 + offset) % 40) * 26).collect();
    let samples = Samples {
        calls: 12,
        ticks: near(1),
        before: near(2),
        after: near(3),
        probe_before: near(4),
        probe_after: near(5),
        ..Samples::default()
    };
    let packed: RawRounds =
        [RawRound { calibration: 3, overhead_ticks: 55.5, position: None, samples }]
            .into_iter()
            .collect();
    assert!(packed.packed().len() < 560, "{}", packed.packed().len());
}

#[test]
fn a_round_is_read_from_fields_in_any_order_each_once() {
    let read = |text: &str| serde_json::from_str::<RawRound>(text);
    let samples = r#""ticks": [5], "calls": 2, "before": [], "after": [], "rejected": 0"#;
    let round = read(&format!(
        r#"{{{samples}, "position": null, "unknown": [1], "overhead_ticks": 1.5, "calibration": 3}}"#
    ));
    let expected = RawRound {
        calibration: 3,
        overhead_ticks: 1.5,
        position: None,
        samples: Samples { calls: 2, ticks: vec![5], ..Samples::default() },
    };
    assert_eq!(round.unwrap(), expected);
    for (text, words) in [
        (format!(r#"{{{samples}, "calibration": 3}}"#), "missing field `overhead_ticks`"),
        (format!(r#"{{{samples}, "calibration": 3, "calibration": 4}}"#), "duplicate field"),
        (format!(r#"{{{samples}, "calls": 3}}"#), "duplicate field `calls`"),
        (format!(r#"{{{samples}, "position": 256}}"#), "invalid value"),
        (r#"{"calibration": 3, "overhead_ticks": 1}"#.to_owned(), "missing field `calls`"),
        ("[3, 1.5]".to_owned(), "expected a round of samples"),
    ] {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}
