//! Reads the lengths of a provider's implementation, and of its output.

use crate::abi;
use cpb_model::{LARGEST_BYTES, LengthRange, Lengths, Operation, Role};

/// Returns the lengths that an implementation states, or why it cannot be called.
pub(super) fn lengths(
    stated: &[abi::LengthRange],
    operation: Operation,
) -> Result<Lengths, String> {
    let mut lengths = Lengths::default();
    let mut seen = Vec::new();
    for one in stated {
        let row = operation.row();
        let role = Role::of_number(one.role)
            .filter(|role| row.takes.contains(role) || row.gives.contains(role))
            .ok_or_else(|| {
                format!(
                    "the provider states a length of role {}, which {} has not",
                    one.role, row.name
                )
            })?;
        if seen.contains(&role) {
            return Err(format!("the provider states two lengths of its {}", role.name()));
        }
        seen.push(role);
        let length = length(one, role)?;
        match role {
            Role::Key | Role::Password => lengths.key = length,
            Role::Nonce | Role::Salt => lengths.nonce = length,
            Role::Aad | Role::Info if role != row.message => lengths.aad = length,
            // The tag of a MAC is its whole output.
            Role::Tag if row.takes.contains(&Role::Message) && row.gives.len() == 1 => {
                lengths.output = Some(length);
            }
            Role::Tag => lengths.tag = length.default_length(),
            Role::Digest | Role::Output => lengths.output = Some(length),
            Role::PublicKey => lengths.public_key = length,
            Role::SecretKey => lengths.secret_key = length,
            Role::Signature => lengths.signature = length,
            Role::Ciphertext if operation.is_public_key() => lengths.ciphertext = length,
            Role::SharedSecret => lengths.shared_secret = length,
            Role::Randomness => lengths.randomness = length,
            Role::Input => lengths.input = length,
            // Lengths that follow from the message.
            _ => {}
        }
    }
    Ok(lengths)
}

fn length(stated: &abi::LengthRange, role: Role) -> Result<LengthRange, String> {
    let abi::LengthRange { least, usual, most, .. } = *stated;
    if least > usual || usual > most {
        return Err(format!(
            "the provider states {usual} as the usual length of its {}, from {least} to {most}",
            role.name()
        ));
    }
    let usual = believed(usual, role)?;
    // Larger values can be treated alike, because no input is that long.
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(LARGEST_BYTES);
    Ok(LengthRange::fixed(usual).at_least(least as usize).up_to(most))
}

fn believed(bytes: u64, role: Role) -> Result<usize, String> {
    usize::try_from(bytes).ok().filter(|bytes| *bytes <= LARGEST_BYTES).ok_or_else(|| {
        format!(
            "the provider states {bytes} as the length of its {}, more than {LARGEST_BYTES} (1 GiB)",
            role.name()
        )
    })
}

/// Returns why an implementation with these lengths cannot be called; `None` if it can.
pub(super) fn wrong_lengths(operation: Operation, lengths: &Lengths) -> Option<String> {
    if lengths.granularity > LARGEST_BYTES {
        return Some(format!(
            "the provider states {} as its granularity, more than {LARGEST_BYTES} (1 GiB)",
            lengths.granularity
        ));
    }
    let row = operation.row();
    let output = lengths.output.map_or(0, LengthRange::default_length);
    let says_nothing = |role: &Role| match role {
        Role::Digest | Role::Output => output == 0,
        Role::Tag => output == 0 && lengths.tag == 0,
        role if operation.is_public_key() => lengths.of(*role).is_none_or(|it| it.is_none()),
        _ => false,
    };
    let role = row.gives.iter().find(|role| says_nothing(role))?;
    Some(format!("the provider states no length of its {}, which it puts out", role.name()))
}

/// The length of an output according to the provider's offer.
pub(super) struct Expected {
    pub(super) role: Role,
    pub(super) bytes: usize,
    pub(super) least: usize,
}

impl Expected {
    /// Returns the length of an output, or how it deviates from the offer.
    pub(super) fn length(&self, found: &abi::Buffer) -> Result<usize, String> {
        let Self { role, bytes: expected, least } = *self;
        let abi::Buffer { bytes, length, .. } = *found;
        let name = role.name();
        if found.role != role as u32 {
            return Err(format!("the provider put out role {} in place of its {name}", found.role));
        }
        let fits = |length: &usize| (least..=expected).contains(length);
        let Some(length) = usize::try_from(length).ok().filter(fits) else {
            return Err(format!(
                "the provider put out {length} bytes of its {name} where its offer means {expected}"
            ));
        };
        if bytes.is_null() && length != 0 {
            return Err(format!(
                "the provider put out {length} bytes of its {name} and a null pointer to them"
            ));
        }
        Ok(length)
    }
}
