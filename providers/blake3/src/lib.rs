//! Offers BLAKE3 as a provider.

use cpb_model::Operation;
use cpb_provider::{Implementation, Table, call, line, provider};

provider!(c"blake3", c"1", Table::new(&[IMPLEMENTATIONS]));

const IMPLEMENTATIONS: &[Implementation] =
    &[line("blake3", Operation::Hash, Implementation::hash(32), |_, inputs| {
        Ok(call(inputs, |case, out| {
            out.copy_from_slice(blake3::hash(case.message.bytes()).as_bytes());
            Ok(())
        }))
    })];
