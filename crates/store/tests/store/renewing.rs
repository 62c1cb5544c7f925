//! Tests figures of an earlier estimator, which are recomputed for histories.

use crate::keeping::made;
use crate::sample::run;
use cpb_model::{Estimator, Method, Run};
use cpb_store::StoreLocation;

/// Makes a run from before the second estimator, whose figures are from raw
/// samples.
fn earlier(number: u32) -> Run {
    let mut run = run(number);
    run.records.retain(|record| record.method == Method::Trials);
    run.records.iter_mut().for_each(|record| record.estimator = Estimator::MiddleRounds);
    run
}

pub(crate) fn figures_of_before_are_made_anew_where_samples_are_there(place: &StoreLocation) {
    let mut store = made(place);
    let old = store.save(&earlier(1)).unwrap();
    let mut without = earlier(2);
    without.forget_raw();
    let without = store.save(&without).unwrap();
    let new = store.save(&Run { records: vec![run(3).records.remove(1)], ..run(3) }).unwrap();
    let estimators = |store: &cpb_store::Store| -> Vec<Option<String>> {
        let all = store.runs().unwrap();
        let of = |number| all.iter().find(|it| it.number == number).unwrap().estimator.clone();
        [old, without, new].map(of).into()
    };
    let current = Some("cluster-rounds".to_owned());
    assert_eq!(estimators(&store), [None, None, current.clone()]);
    let series = store.series().unwrap().remove(0);
    let before = store.history(&series).unwrap();
    assert_eq!(store.renew_figures(&[old, without]).unwrap(), 1);
    assert_eq!(estimators(&store), [current.clone(), None, current]);
    let after = store.history(&series).unwrap();
    let expected = {
        let mut run = store.load(old).unwrap();
        // The run itself is unchanged.
        assert_eq!(run.records, earlier(1).records);
        cpb_figures::renew(&mut run);
        assert_eq!(run.records[0].estimator, Estimator::CURRENT);
        run.records[0].points[1].cycles_per_call.estimate / 4096.0
    };
    for (before, after) in before.iter().zip(&after) {
        let is_renewed = after.run == old;
        assert_eq!(after == before, !is_renewed);
        assert!(!is_renewed || (after.figure.estimate - expected).abs() < 1e-12);
    }
    // Figures are recomputed only once.
    assert_eq!(store.renew_figures(&[without]).unwrap(), 0);
}
