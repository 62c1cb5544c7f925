//! Makes what SUPERCOP has usable: its folders of implementations in source form as libraries, and
//! its database as runs ([`database`]).
//!
//! Each folder is built with every compiler into shared libraries with the interface of
//! `cpb_provider.h`, and checked against SUPERCOP's own checksums.
//!
//! [`build`] turns a folder into a [`cpb_libraries::Index`], which a worker opens as one library.
//! Failed builds and checks are listed in it with the reason. Nothing foreign runs in this process:
//! compilers and checks are children with limits ([`confine`]).

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod builder;
mod cache;
mod checked;
mod compiler;
pub mod confine;
pub mod database;
mod dialect;
mod error;
mod headers;
mod objects;
mod operations;
mod tree;

pub use builder::{Built, Progress, Request, build};
pub use compiler::{Compiler, usual_compilers};
pub use error::FolderError;
pub use tree::Skipped;
