//! Everything that is tested from outside, in one binary: linking once is most of the cost.

mod auditor;
mod balancers;
mod books;
mod caches;
mod cases;
mod cases_budgets;
mod cases_clients;
mod cases_guards;
mod cli;
mod client_policies;
mod closed_form;
mod floors;
mod graphs;
mod hedging;
mod parity;
mod readme;
mod refusals;
mod rust_paths;
mod same_facts;
mod scenario;
mod stepped;
mod storm;
mod theory;
mod verdicts;
mod wider;
mod worlds;
