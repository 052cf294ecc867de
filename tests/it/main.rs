//! Everything that is tested from outside, in one binary: linking once is most of the cost.

mod floors;
mod rust_paths;
