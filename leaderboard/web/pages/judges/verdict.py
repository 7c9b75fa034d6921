"""How reliable a judge is, in a sentence or two, made of the figures of its page."""

from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from leaderboard.results.formatting import MISSING, print_interval, print_value
from leaderboard.results.judges.comparisons import MeanOver
from leaderboard.results.judges.seals import WorthTable
from leaderboard.web.pages.judges.record import CanaryTable
from leaderboard.web.pages.judges.studies import PeopleComparison

UNKNOWN = "Nothing is known yet about how often this judge agrees with people."


def reliability_verdict(
    metrics: Sequence[Metric],
    means: Mapping[str, MeanOver],
    studies: Sequence[PeopleComparison],
    worth: WorthTable | None,
    canary: CanaryTable | None,
) -> str:
    """By ratings of its entries, else by the newest study of this very judge, else by what was
    measured of its version of the rules, else by a study that is made up; then how often it
    repeated its verdicts."""
    rated = (
        agreement_sentence(
            "people",
            f"{print_value(metric, mean.value)} %",
            print_mean_interval(metric, mean),
            f"{mean.n:,}",
        )
        for metric in metrics
        if metric.unit == "percent" and (mean := means.get(metric.name))
    )
    own = [study for study in studies if study.study and not study.judge]
    real = (study_sentence(study) for study in own if not study.is_made_up)
    measured = worth.sentence if worth and worth.is_this_version else ""
    made_up = (study_sentence(study) for study in own if study.is_made_up)
    found = (*rated, *real, measured, *made_up, UNKNOWN)
    agreement = next(filter(None, found))
    same = canary.lines[0].same if canary else MISSING
    if same == MISSING:
        return agreement
    return f"{agreement} When last asked again, it gave the same verdict in {same} cases."


def study_sentence(study: PeopleComparison) -> str:
    """Empty where it could not compare anything."""
    cell = study.agreement
    if cell is None or cell.value == MISSING:
        return ""
    sentence = agreement_sentence("most people", cell.value, cell.interval, cell.n)
    return f"{sentence} The ratings are made up." if study.is_made_up else sentence


def agreement_sentence(whom: str, value: str, interval: str, n: str) -> str:
    between = f" (95 % CI {interval})" if interval else ""
    return f"Agrees with {whom} in {value}{between} of {n} rated answers."


def print_mean_interval(metric: Metric, mean: MeanOver) -> str:
    figure = MetricValue(mean.value, mean.low, mean.high, None, mean.n, mean.n, mean.n)
    return print_interval(metric, figure)
