//! Public keys of secret keys, and what two key pairs agree on.

use super::{Asked, Form, Group, Half, Key, KeyContext, Keys, Number, NumberContext, Point};
use super::{OldKey, c_text};
use crate::openssl::functions::{Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, Turn};
use crate::{Made, PrepareError};
use cpb_model::Role;
use std::ffi::CString;
use std::ptr;

pub(super) fn prepare_agreement(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let (secrets, peers) = (asked.secrets(), asked.publics());
    // Of the modulus' length, as TLS 1.3 has it; without, zeros in front are left out.
    let padded = || Parameters::new().number(c"pad", 1);
    let settings = (asked.recipe.form == Form::Group).then(padded);
    asked.turns(Agreement { keys, secrets, peers, settings })
}

struct Agreement {
    keys: Keys,
    secrets: Vec<Half>,
    peers: Vec<Half>,
    settings: Option<Parameters>,
}

/// A context that knows the peer, before the keys it points to.
struct Agreeing {
    context: Owned<KeyContext>,
    _keys: [Owned<Key>; 2],
}

impl Task for Agreement {
    type Ready = Agreeing;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Agreeing, Failed> {
        let keys = &self.keys;
        let secret = keys.read_secret(&self.secrets[turn.number])?;
        let peer = keys.read_public(&self.peers[turn.number])?;
        let context = keys.context_of(&secret)?;
        // SAFETY: context and peer are live, and the list ends as lists must.
        unsafe {
            check((keys.begin_deriving)(context.pointer()))?;
            if let Some(settings) = &self.settings {
                check((keys.set)(context.pointer(), settings.pointer()))?;
            }
            check((keys.set_peer)(context.pointer(), peer.pointer()))?;
        }
        Ok(Agreeing { context, _keys: [secret, peer] })
    }

    #[inline(always)]
    fn run(&mut self, ready: &Agreeing, _: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let mut length = output.len();
        // SAFETY: the context is live, and the output has this room.
        check(unsafe {
            (self.keys.derive)(ready.context.pointer(), output.as_mut_ptr(), &raw mut length)
        })?;
        Ok(length)
    }
}

pub(super) fn prepare_public_key(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let secrets = asked.secrets();
    let name = c_text(asked.recipe.name);
    match asked.recipe.form {
        Form::Curve => {}
        Form::Group => return asked.turns(OfGroup { keys, name }),
        _ => return asked.turns(OfRaw { keys, secrets }),
    }
    let refused = || PrepareError::Unavailable(asked.functions.core.last_error());
    // SAFETY: the name ends in a zero; what is returned is ours to free.
    let group = unsafe { Owned::new((keys.group)((keys.object)(name.as_ptr())), keys.free_group) };
    let group = group.ok_or_else(refused)?;
    asked.turns(OfCurve { keys, group })
}

/// libcrypto makes the public key while it reads the secret one: there is nothing to make
/// ready.
struct OfRaw {
    keys: Keys,
    secrets: Vec<Half>,
}

impl Task for OfRaw {
    type Ready = ();
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, (): &(), turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let key = self.keys.read_secret(&self.secrets[turn.number])?;
        self.keys.write_public(Form::Raw, &key, output)
    }
}

/// `POINT_CONVERSION_UNCOMPRESSED`.
const UNCOMPRESSED: i32 = 4;

/// A multiple of the curve's base, as libcrypto's own key generation works it out.
struct OfCurve {
    keys: Keys,
    group: Owned<Group>,
}

struct Multiplying {
    secret: Owned<Number>,
    point: Owned<Point>,
    context: Owned<NumberContext>,
}

impl Task for OfCurve {
    type Ready = Multiplying;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Multiplying, Failed> {
        let keys = &self.keys;
        let secret = turn.case.bytes(Role::SecretKey);
        // SAFETY: the secret has this length, the group is live, and what is returned is
        // ours to free.
        unsafe {
            let number = (keys.number)(secret.as_ptr(), secret.len() as _, ptr::null_mut());
            Ok(Multiplying {
                secret: Owned::new(number, keys.free_number).ok_or(Failed)?,
                point: Owned::new((keys.point)(self.group.pointer()), keys.free_point)
                    .ok_or(Failed)?,
                context: Owned::new((keys.number_context)(), keys.free_number_context)
                    .ok_or(Failed)?,
            })
        }
    }

    #[inline(always)]
    fn run(
        &mut self,
        ready: &Multiplying,
        _: Turn<'_>,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        let Keys { multiply, write_point, .. } = self.keys;
        let Multiplying { secret, point, context } = ready;
        // SAFETY: all are live, and the output has this room.
        unsafe {
            check(multiply(
                self.group.pointer(),
                point.pointer(),
                secret.pointer(),
                ptr::null(),
                ptr::null(),
                context.pointer(),
            ))?;
            let (at, room) = (output.as_mut_ptr(), output.len());
            let (group, context) = (self.group.pointer(), context.pointer());
            match write_point(group, point.pointer(), UNCOMPRESSED, at, room, context) {
                0 => Err(Failed),
                length => Ok(length),
            }
        }
    }
}

/// A power of the base of a finite-field group, by libcrypto's own key generation, which
/// draws no secret number where it is given one.
struct OfGroup {
    keys: Keys,
    name: CString,
}

impl Task for OfGroup {
    type Ready = Owned<OldKey>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Owned<OldKey>, Failed> {
        let keys = &self.keys;
        let secret = turn.case.bytes(Role::SecretKey);
        // SAFETY: the name ends in a zero, the secret has this length, and what is returned
        // is ours to free; the number is the key's once that has taken it.
        unsafe {
            let key = (keys.dh)((keys.object)(self.name.as_ptr()));
            let key = Owned::new(key, keys.free_dh).ok_or(Failed)?;
            let number = (keys.number)(secret.as_ptr(), secret.len() as _, ptr::null_mut());
            if number.is_null() || (keys.set_dh)(key.pointer(), ptr::null_mut(), number) != 1 {
                (keys.free_number)(number);
                return Err(Failed);
            }
            Ok(key)
        }
    }

    #[inline(always)]
    fn run(
        &mut self,
        key: &Owned<OldKey>,
        turn: Turn<'_>,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        let length = turn.case.bytes(Role::SecretKey).len();
        let room = output.get_mut(..length).ok_or(Failed)?;
        // SAFETY: the key is live, and the output has this room.
        unsafe {
            check((self.keys.generate_dh)(key.pointer()))?;
            let public = (self.keys.public_dh)(key.pointer());
            let written = (self.keys.write_number)(public, room.as_mut_ptr(), length as _);
            if usize::try_from(written) == Ok(length) { Ok(length) } else { Err(Failed) }
        }
    }
}
