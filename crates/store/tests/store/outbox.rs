//! Tests that runs that could not be sent are kept, and sent later.

use crate::sample::run;
use cpb_store::{Store, StoreLocation};
use tempfile::TempDir;

pub(crate) fn what_could_not_be_sent_is_sent_once(place: &StoreLocation) {
    let folder = TempDir::new().unwrap();
    let mut own =
        Store::open_or_create(&StoreLocation::File(folder.path().join("own.sqlite"))).unwrap();
    let another = StoreLocation::File("elsewhere".into());
    own.save(&run(1)).unwrap();
    let samples = |run: &cpb_model::Run, position: usize| Ok(run.records[position].raw());
    for number in [2, 3, 4] {
        let run = run(number);
        own.keep_for(place, &run, |position| samples(&run, position)).unwrap();
    }
    own.keep_for(&another, &run(5), |position| samples(&run(5), position)).unwrap();
    own.label(2, "mine", false).unwrap();
    own.label(3, "theirs", false).unwrap();
    let mut store = Store::open_or_create(place).unwrap();
    // The run was sent, but the reply was lost, and another run took the label
    // meanwhile.
    let there = store.save(&run(4)).unwrap();
    store.label(there, "theirs", false).unwrap();
    assert_eq!(own.waiting_for(place).unwrap(), 3);
    let mut sent = Vec::new();
    while let Some(one) = own.send_one(&mut store).unwrap() {
        sent.push((one.kept_as, one.number));
    }
    assert_eq!(sent.len(), 3);
    assert_eq!(own.waiting_for(place).unwrap(), 0);
    for (number, (_, saved)) in (2..).zip(&sent) {
        assert_eq!(store.load(*saved).unwrap(), run(number));
    }
    let labels: Vec<_> = store.runs().unwrap().into_iter().map(|run| run.label).collect();
    assert_eq!(labels, [Some("mine".to_owned()), None, Some("theirs".to_owned())]);
    let kept: Vec<String> = own.runs().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(kept, [run(1).id, run(5).id]);
    assert_eq!(own.waiting_for(&another).unwrap(), 1);
}
