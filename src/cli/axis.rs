//! From where to where a parameter is searched.

use anyhow::anyhow;
use clap::Args;
use metastable::scenario::Dial;

use super::failure::Failure;

/// The ends of an axis as they are typed.
#[derive(Debug, Args)]
pub(super) struct Bounds {
    /// The smallest value of the axis [default: a quarter of what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(super) from: Option<String>,
    /// The largest value of the axis [default: twice what is written]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    /// Go along the axis in even ratios instead of even steps
    #[arg(long)]
    pub(super) log: bool,
}

/// The ends of an axis as numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisRange {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// By which factors what is written is left without being told to: the first that gives a world counts.
const DOWN: [f64; 3] = [0.25, 0.5, 0.75];
const UP: [f64; 4] = [2.0, 1.5, 1.25, 1.0];

impl Bounds {
    /// The ends for `dial`.
    pub(super) fn over(&self, dial: &mut Dial<'_>) -> Result<AxisRange, Failure> {
        over(self.from.as_deref(), self.to.as_deref(), ["--from", "--to"], self.log, dial)
    }
}

/// The ends for `dial` of which some are typed, by the options `names`; `log` asks for even ratios.
pub(super) fn over(
    from: Option<&str>,
    to: Option<&str>,
    names: [&str; 2],
    log: bool,
    dial: &mut Dial<'_>,
) -> Result<AxisRange, Failure> {
    let path = dial.path().to_owned();
    let mut end = |typed: Option<&str>, name: &str, factors: &[f64]| -> Result<f64, Failure> {
        if let Some(text) = typed {
            return Ok(dial.read(text, name)?);
        }
        let Some(written) = dial.value() else {
            dial.check_words()?;
            return Err(anyhow!(
                "nothing stands at {path} as it is written: say {} and {}",
                names[0],
                names[1]
            )
            .into());
        };
        // Where only whole numbers are taken, the next below is.
        let values =
            factors.iter().flat_map(|factor| [written * factor, (written * factor).floor()]);
        Ok(values.into_iter().find(|value| dial.model(*value).is_ok()).unwrap_or(written))
    };
    let (from, to) = (end(from, names[0], &DOWN)?, end(to, names[1], &UP)?);
    if from >= to {
        let (from, to) = (dial.label(from), dial.label(to));
        return Err(anyhow!(
            "the axis {path} goes from {from} to {to}: {} must be below {}",
            names[0],
            names[1]
        )
        .into());
    }
    if log && from <= 0.0 {
        return Err(anyhow!("even ratios never come from zero: say {} above it", names[0]).into());
    }
    // What is wrong with an end is wrong before anything is run.
    dial.model(from)?;
    dial.model(to)?;
    Ok(AxisRange { from, to })
}
