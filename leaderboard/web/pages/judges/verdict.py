"""How reliable a judge is, in a sentence or two, made of the figures of its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from judging.models import CanaryRun
from leaderboard.models import StudyAnswer
from leaderboard.results.formatting import print_interval, print_value
from leaderboard.results.judges.comparisons import MeanOver
from leaderboard.results.judges.seals import WorthTable
from leaderboard.web.pages.studies.cells import share_cell

UNKNOWN = "Nothing is known yet about how often this judge agrees with people."


@dataclass(frozen=True, slots=True)
class Verdict:
    """share: how often the judge agrees with people; None where that is unknown or made up."""

    sentence: str
    share: float | None = None


def reliability_verdict(
    metrics: Sequence[Metric],
    means: Mapping[str, MeanOver],
    studies: Sequence[StudyAnswer],
    worth: WorthTable | None,
    canary: CanaryRun | None,
) -> Verdict:
    """By ratings of its entries, else by the newest study, all of this very judge, else by what was
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
    # one person alone has no majority to agree with
    own = [one for one in studies if None not in (one.agreement[0], one.people[0])]
    real = (
        Verdict(study_sentence(one), one.agreement[0]) for one in own if not one.report.is_made_up
    )
    measured = [Verdict(worth.sentence, worth.share)] if worth and worth.is_this_version else []
    made_up = (Verdict(study_sentence(one)) for one in own if one.report.is_made_up)
    found = next(chain(rated, real, measured, made_up), Verdict(UNKNOWN))
    if canary is None or not canary.asked:
        return found
    again = (
        f"When last asked again, it gave the same verdict in {canary.same} of {canary.asked} cases."
    )
    return replace(found, sentence=f"{found.sentence} {again}")


def study_sentence(study: StudyAnswer) -> str:
    cell = share_cell(study.agreement)
    sentence = agreement_sentence("most people", cell.value, cell.interval, cell.n)
    if not study.report.is_made_up:
        return sentence
    told = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Not checked by people yet. In ratings invented to show a study, it {told}"


def agreement_sentence(whom: str, value: str, interval: str, n: str) -> str:
    between = f" (95 % interval {interval})" if interval else ""
    return f"Agrees with {whom} in {value}{between} of {n} rated answers."


def print_mean_interval(metric: Metric, mean: MeanOver) -> str:
    figure = MetricValue(mean.value, mean.low, mean.high, None, mean.n, mean.n, mean.n)
    return print_interval(metric, figure)
