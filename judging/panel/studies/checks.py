"""Attention checks: what each rater said of items with an obvious answer, and who fails them."""

from dataclasses import dataclass

from django.db.models import F

from judging.panel.models import Study, Vote


@dataclass(frozen=True, slots=True)
class Checked:
    """Of one rater: checks answered, and those with an answer that somebody attentive may give."""

    met: int
    passed: int

    def fails(self, least_percent: int) -> bool:
        """Nobody fails who met none."""
        return 100 * self.passed < least_percent * self.met


def checks_by_rater(study: Study) -> dict[int, Checked]:
    """By number of the rater; who answered no check is not among them. One query."""
    votes = Vote.objects.filter(
        rater__study=study,
        taken_back__isnull=True,
        item__is_check=True,
        dimension=F("item__check_dimension"),
    )
    found: dict[int, Checked] = {}
    for number, value, passed_by in votes.values_list("rater__number", "value", "item__passed_by"):
        before = found.get(number, Checked(0, 0))
        is_passed = str(value) in passed_by.split(",")
        found[number] = Checked(before.met + 1, before.passed + is_passed)
    return found


def failing_raters(study: Study) -> frozenset[int]:
    """Numbers of those who pass fewer checks than the study asks of them."""
    checked = checks_by_rater(study)
    return frozenset(n for n, one in checked.items() if one.fails(study.least_passed))
