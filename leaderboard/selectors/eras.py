"""Which scores of a benchmark are comparable: its eras with public entries, and which of them a reader means."""

from collections.abc import Sequence

from django.db.models import Count, Q

from benchmarks.models import Benchmark, Release
from benchmarks.submissions.models import Submission
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.selectors.readings import Era, NoSuchEraError


def public_sheets() -> Q:
    return Q(submission__visibility="public", submission__withdrawn__isnull=True)


def eras_of(benchmark: Benchmark) -> tuple[Era, ...]:
    """Eras with public entries: those with more than baselines first, of these the main release first,
    then the judge with most entries. Every release has baselines by the offline rules, which must not
    lead a board away from what was handed in."""
    counts = (
        Scoresheet.objects.filter(public_sheets(), submission__release__benchmark=benchmark)
        .values_list("submission__release", "judge_spec")
        .annotate(
            entries=Count("pk"),
            handed_in=Count("pk", filter=~Q(submission__origin=Submission.Origin.BASELINE)),
        )
    )
    found = list(counts)
    releases = list(Release.objects.filter(pk__in={row[0] for row in found}).main_first())
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk({row[1] for row in found})
    places = {release.pk: place for place, release in enumerate(releases)}
    found.sort(key=lambda row: (not row[3], places[row[0]], -row[3], -row[2], -row[1]))
    return tuple(
        Era(releases[places[release]], specs[spec], entries) for release, spec, entries, _ in found
    )


def choose_era(eras: Sequence[Era], release: str = "", judge: str = "") -> Era | None:
    """The first era that fits the slugs asked for; None where the benchmark has none at all."""
    fitting = [
        e for e in eras if release in ("", e.release.slug) and judge in ("", e.judge_spec.slug)
    ]
    if fitting:
        return fitting[0]
    if release or judge:
        raise NoSuchEraError(
            f"This board has no entries for release {release!r} and judge {judge!r}."
        )
    return None
