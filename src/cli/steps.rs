//! One axis of a scenario as it is named on the command line: a path and its values.

use anyhow::anyhow;
use clap::Args;
use metastable::scenario::{Alteration, Story, Sweep};

use super::failure::Failure;
use super::story::Source;

/// Which axis, and which values.
#[derive(Debug, Args)]
pub(super) struct Axis {
    /// The dotted path of what is varied, as in clients.web.load
    #[arg(long = "axis", value_name = "PATH")]
    pub(super) path: String,
    /// The first value [default: the axis in the scenario's [sweep]]
    #[arg(long, value_name = "VALUE", requires = "to", requires = "step")]
    #[arg(allow_hyphen_values = true)]
    from: Option<String>,
    /// The last value
    #[arg(long, value_name = "VALUE", requires = "from", allow_hyphen_values = true)]
    to: Option<String>,
    /// From one value to the next
    #[arg(long, value_name = "VALUE", requires = "from", allow_hyphen_values = true)]
    step: Option<String>,
}

impl Axis {
    /// The sweep over this axis alone, of one variant.
    pub(super) fn read(
        &self,
        source: &Source,
        variant: &str,
        story: &Story,
    ) -> Result<Sweep, Failure> {
        let path = quoted(&self.path);
        let axis = Alteration::default().and("sweep.axes={ ").and_typed(&path, self.of_path());
        let changes = [
            self.with_values(axis.and(" = "), story)?.and(" }"),
            Alteration::default().and(&format!("sweep.variants=[{}]", quoted(variant))),
            Alteration::default().and("sweep.expect=[]"),
        ];
        let story = source.read_with(&changes)?;
        Ok(story.sweep.ok_or_else(|| anyhow!("{}: no axis is left", self.path))?)
    }

    const fn of_path(&self) -> (&str, &str) {
        ("--axis", self.path.as_str())
    }

    /// `axis` with the values after it, in the spelling of a scenario.
    fn with_values(&self, axis: Alteration, story: &Story) -> Result<Alteration, Failure> {
        if let (Some(from), Some(to), Some(step)) = (&self.from, &self.to, &self.step) {
            let range = axis.and("{ from = ").and_typed(&spelled(from), ("--from", from));
            let range = range.and(", to = ").and_typed(&spelled(to), ("--to", to));
            let range = range.and(", step = ").and_typed(&spelled(step), ("--step", step));
            return Ok(range.and(" }"));
        }
        let sweep = story.sweep.as_ref();
        let place = sweep.and_then(|sweep| sweep.axes.iter().position(|axis| *axis == self.path));
        let (Some(sweep), Some(place)) = (sweep, place) else {
            let path = &self.path;
            return Err(anyhow!(
                "{path} is no axis of the scenario's [sweep], so its range must be given: \
                 --from 0.1 --to 1.2 --step 0.1"
            )
            .into());
        };
        let mut labels: Vec<String> = Vec::new();
        for cell in &sweep.cells {
            let label = spelled(&cell.at[place].label);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Ok(axis.and_typed(&format!("[{}]", labels.join(", ")), self.of_path()))
    }
}

/// A value as a scenario spells it: numbers as they are, anything else in quotes.
fn spelled(value: &str) -> String {
    let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number { value.to_owned() } else { quoted(value) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
