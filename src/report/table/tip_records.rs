//! What programs get of `tip`: its records, the same in JSON and CSV.

use super::tip::{TipDocument, TipOf, side};
use super::value::{Record, Value, record};
use crate::analysis::{Answers, Estimate, wilson};
use crate::experiment::TippingPoint;

impl TipDocument<'_> {
    fn named(&self, name: &str) -> String {
        if self.is_length { format!("{name}_s") } else { name.to_owned() }
    }

    fn estimate_fields(&self, name: &str, estimate: Option<Estimate>) -> Record {
        let field = |end: &str, of: fn(&Estimate) -> f64| {
            (self.named(&format!("{name}{end}")), estimate.as_ref().map(of).into())
        };
        vec![
            field("", |e| e.value),
            field("_low", |e| e.interval.low),
            field("_high", |e| e.interval.high),
        ]
    }

    fn point_record(&self, point: Option<&TippingPoint>) -> Record {
        let mut fields = record([("recovers", point.map(|point| side(point.side)).into())]);
        fields.extend(self.estimate_fields("tips_at", point.map(|point| point.tips_at)));
        fields.extend(self.estimate_fields("safe_at", point.map(|point| point.safe_at)));
        let mixed = |end: usize| Value::from(point.map(|point| point.mixed[end]));
        fields.push((self.named("mixed_from"), mixed(0)));
        fields.push((self.named("mixed_to"), mixed(1)));
        fields.extend(self.estimate_fields("mixed_width", point.map(|point| point.mixed_width)));
        fields
    }

    pub(super) fn row(&self, of: &TipOf<'_>, point: Option<&TippingPoint>) -> Record {
        let mut fields = record([("variant", of.variant.into()), ("axis", self.axis.into())]);
        fields.extend(self.point_record(point));
        fields.extend(self.about(of));
        fields
    }

    fn about(&self, of: &TipOf<'_>) -> Record {
        let tipping = &of.tipping;
        let mut fields = vec![
            (self.named("written"), of.value.into()),
            (self.named("from"), tipping.range.from.into()),
            (self.named("to"), tipping.range.to.into()),
        ];
        fields.extend(record([
            ("recovers_at_from", tipping.recovers_below().into()),
            ("recovers_at_to", tipping.recovers_above().into()),
            ("runs", tipping.runs.into()),
            ("controls", tipping.controls.into()),
        ]));
        fields
    }

    pub(super) fn tried_record(&self, answers: &Answers) -> Record {
        let interval = wilson(answers.recovered, answers.runs);
        let mut fields = vec![(self.named("at"), answers.at.into())];
        fields.extend(record([
            ("runs", answers.runs.into()),
            ("recovered", answers.recovered.into()),
            ("recovered_share", (answers.recovered as f64 / answers.runs as f64).into()),
            ("recovered_share_low", interval.low.into()),
            ("recovered_share_high", interval.high.into()),
        ]));
        fields
    }

    fn curve_record(&self, point: &TippingPoint) -> Vec<Record> {
        let of = |point: &crate::experiment::CurvePoint| {
            let mut fields = vec![(self.named("at"), point.at.into())];
            fields.extend(record([
                ("recovered_share", point.share.value.into()),
                ("recovered_share_low", point.share.interval.low.into()),
                ("recovered_share_high", point.share.interval.high.into()),
            ]));
            fields
        };
        point.curve.iter().map(of).collect()
    }

    pub(super) fn variant_record(&self, of: &TipOf<'_>) -> Record {
        let mut fields = record([("variant", of.variant.into())]);
        fields.extend(self.about(of));
        let collapsed = of.tipping.collapsed.iter().map(|verdict| verdict.name().to_owned());
        let points = of.tipping.points.iter().map(|point| {
            let mut fields = self.point_record(Some(point));
            fields.push(("curve".to_owned(), Value::Records(self.curve_record(point))));
            fields
        });
        fields.extend(record([
            ("collapsed", Value::Texts(collapsed.collect())),
            ("tipping_points", Value::Records(points.collect())),
            (
                "tried",
                Value::Records(of.tipping.tried.iter().map(|a| self.tried_record(a)).collect()),
            ),
        ]));
        fields
    }
}
