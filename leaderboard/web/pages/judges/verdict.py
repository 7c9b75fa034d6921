"""How reliable a judge is, in a sentence or two, made of the figures of its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from leaderboard.results.formatting import MISSING, print_interval, print_value
from leaderboard.results.judges.comparisons import MeanOver
from leaderboard.results.judges.seals import WorthTable
from leaderboard.web.pages.judges.record import CanaryLine
from leaderboard.web.pages.judges.studies import PeopleComparison

UNKNOWN = "Nothing is known yet about how often this judge agrees with people."


@dataclass(frozen=True, slots=True)
class Verdict:
    """share: how often the judge agrees with people; None where that is unknown or made up."""

    sentence: str
    share: float | None = None


def reliability_verdict(
    metrics: Sequence[Metric],
    means: Mapping[str, MeanOver],
    studies: Sequence[PeopleComparison],
    worth: WorthTable | None,
    canary: CanaryLine | None,
) -> Verdict:
    """By ratings of its entries, else by the newest study of this very judge, else by what was
    measured of its version of the rules, else by a study that is made up; then how often it
    repeated its verdicts."""
    rated = (
        Verdict(
            agreement_sentence(
                "people",
                f"{print_value(metric, mean.value)} %",
                print_mean_interval(metric, mean),
                f"{mean.n:,}",
            ),
            mean.value,
        )
        for metric in metrics
        if metric.unit == "percent" and (mean := means.get(metric.name))
    )
    own = [study for study in studies if study.share is not None and not study.judge]
    real = (Verdict(study_sentence(one), one.share) for one in own if not one.is_made_up)
    measured = [Verdict(worth.sentence, worth.share)] if worth and worth.is_this_version else []
    made_up = (Verdict(study_sentence(one)) for one in own if one.is_made_up)
    found = next(chain(rated, real, measured, made_up), Verdict(UNKNOWN))
    if canary is None or canary.same == MISSING:
        return found
    again = f"When last asked again, it gave the same verdict in {canary.same} cases."
    return replace(found, sentence=f"{found.sentence} {again}")


def study_sentence(study: PeopleComparison) -> str:
    cell = study.agreement
    sentence = agreement_sentence("most people", cell.value, cell.interval, cell.n)
    if not study.is_made_up:
        return sentence
    told = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Not checked by people yet. In made-up sample ratings it {told}"


def agreement_sentence(whom: str, value: str, interval: str, n: str) -> str:
    between = f" (95 % CI {interval})" if interval else ""
    return f"Agrees with {whom} in {value}{between} of {n} rated answers."


def print_mean_interval(metric: Metric, mean: MeanOver) -> str:
    figure = MetricValue(mean.value, mean.low, mean.high, None, mean.n, mean.n, mean.n)
    return print_interval(metric, figure)
