"""Scores with the judge's error taken out: what a scoresheet has of the labels that people gave to
answers of its submission.

Only labels of an entry's own answers move its score. That the judge errs of one model's answers as
it does of another's would be an assumption, and one that is often wrong: of a fluent model it takes
more for right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Anchor, Floats, Metric, QuestionView
from benchmarks.protocols.base.anchoring import Figure, figure_name
from benchmarks.protocols.tallies import Flags, grouping
from benchmarks.scoring.sheets import BOUNDS, MetricValue, number, on_scale
from benchmarks.statistics.anchored import (
    LEAST_LABELS,
    Places,
    Sample,
    anchored_mean,
    by_error_rates,
    by_group,
    is_fair_draw,
    missing_labels,
    sample_of,
)
from benchmarks.statistics.intervals import cluster_interval, effective_groups

SHARE = BOUNDS["percent"]


def anchored_figures(
    anchors: Sequence[Anchor], questions: Sequence[QuestionView], metrics: Mapping[str, Metric]
) -> dict[str, MetricValue]:
    """Those figures of the anchors that `metrics` names. Of an anchor without any label there are
    none."""
    groups = grouping(questions)[1]
    strata, parts = (
        numbered([getattr(question, name) for question in questions])
        for name in ("ability", "subtask")
    )
    found: dict[str, MetricValue] = {}
    for anchor in anchors:
        for figure, value in figures_of_anchor(anchor, groups, strata, parts).items():
            name = figure_name(figure, anchor.name)
            if name in metrics:
                found[name] = on_scale(value, metrics[name])
    return found


def numbered(names: Sequence[str]) -> Places:
    return np.unique(names, return_inverse=True)[1] if names else np.array([], dtype=np.intp)


def figures_of_anchor(
    anchor: Anchor, groups: Places, strata: Places, parts: Places
) -> dict[Figure, MetricValue]:
    judged = np.where(anchor.asked, anchor.judged, np.nan)
    known = ~np.isnan(judged)
    has_label = known & ~np.isnan(anchor.labels)
    if not has_label.any():
        return {}
    asked = int(anchor.asked.sum())
    counts = int(has_label.sum()), asked, int(known.sum())
    plain = mean_of(judged, known, groups, is_share=anchor.is_share)
    found: dict[Figure, MetricValue] = {
        "labels": MetricValue(float(counts[0]), None, None, None, *counts, 0),
        "judged": replaced_counts(plain, (counts[2], *counts[1:])),
    }
    if anchor.is_share:
        rates: tuple[tuple[Figure, int], ...] = (("finds_right", 1), ("takes_wrong", 0))
        for figure, label in rates:
            of_kind = has_label & (anchor.labels == label)
            value = mean_of(judged, of_kind, groups, is_share=True)
            found[figure] = replaced_counts(value, (int(of_kind.sum()),) * 3)
    sample = sample_of(judged, anchor.labels, groups, strata)
    is_fair = is_fair_draw(has_label[known], strata[known], parts[known])
    return {**found, **anchored_values(anchor, sample if is_fair else None, counts)}


def anchored_values(
    anchor: Anchor, sample: Sample | None, counts: tuple[int, int, int]
) -> dict[Figure, MetricValue]:
    """`groups` of a figure without a value is how many labels are missing; 0 where something else
    is."""
    missing = missing_labels(sample) if sample else max(0, LEAST_LABELS - counts[0])
    nothing = MetricValue(None, None, None, None, *counts, missing)
    found: dict[Figure, MetricValue] = {"anchored": nothing}
    if anchor.is_share:
        found["rates"] = nothing
    if sample is None or missing:
        return found
    groups = int(sample.groups)
    mean = anchored_mean(sample, bounds=SHARE if anchor.is_share else None)
    if mean:
        found["anchored"] = MetricValue(mean.value, mean.low, mean.high, None, *counts, groups)
    rates = by_error_rates(sample) if anchor.is_share else None
    if rates and rates.value is not None:
        found["rates"] = MetricValue(rates.value, rates.low, rates.high, None, *counts, groups)
    return found


def mean_of(values: Floats, counted: Flags, groups: Places, *, is_share: bool) -> MetricValue:
    """Of those answers that are counted, with its interval over groups."""
    numerator = by_group(groups, np.where(counted, values, 0.0))
    denominator = by_group(groups, counted.astype(np.float64))
    if not denominator.any():
        return MetricValue(None, None, None, None, 0, 0, 0, 0)
    value = float(numerator.sum() / denominator.sum())
    low, high = cluster_interval(numerator, denominator, bounds=SHARE if is_share else None)
    has_interval = not np.isnan(low)
    counted_for = (denominator > 0).sum() if has_interval else effective_groups(denominator)
    return MetricValue(value, number(low), number(high), None, 0, 0, 0, int(counted_for))


def replaced_counts(figure: MetricValue, counts: tuple[int, int, int]) -> MetricValue:
    n, asked, judged = counts
    return replace(figure, n=n, asked=asked, judged=judged)
