"""Which scores of a benchmark are comparable: its eras with public entries, and which of them a
reader means."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, Q

from benchmarks.models import Benchmark, Release
from benchmarks.submissions.models import Submission
from judging.models import JudgeSpec
from leaderboard.models import BoardEdition, Scoresheet
from leaderboard.results.selectors.readings import Era, NoSuchEraError


def public_sheets() -> Q:
    return Q(submission__visibility="public", submission__withdrawn__isnull=True)


def fully_shown_sheets() -> Q:
    """Public ones but for those of hidden tests, which have one rounded score."""
    return public_sheets() & ~Q(submission__release__disclosure=Release.Disclosure.HIDDEN_TEST)


def eras_of(benchmark: Benchmark) -> tuple[Era, ...]:
    """Eras with public entries: those with more than baselines first, of these the main release
    first, then the judge with most entries. Every release has baselines by the offline rules, which
    must not lead a board away from what was handed in."""
    counts = (
        Scoresheet.objects.filter(public_sheets(), submission__release__benchmark=benchmark)
        .values_list("submission__release", "judge_spec")
        .annotate(
            entries=Count("pk"),
            handed_in=Count("pk", filter=~Q(submission__origin=Submission.Origin.BASELINE)),
        )
    )
    found = list(counts)
    releases = Release.objects.select_related("benchmark").in_bulk({row[0] for row in found})
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk({row[1] for row in found})
    return in_order_of_eras(
        (Era(releases[release], specs[spec], entries), handed_in)
        for release, spec, entries, handed_in in found
    )


def stored_eras(editions: Iterable[BoardEdition]) -> tuple[Era, ...]:
    """The eras of the boards that are stored."""
    return in_order_of_eras(
        (Era(stored.release, stored.judge_spec, stored.entries), stored.handed_in)
        for stored in editions
    )


def in_order_of_eras(found: Iterable[tuple[Era, int]]) -> tuple[Era, ...]:
    """Eras, each with how many of its entries are not baselines."""
    counted = list(found)
    releases = {era.release.pk: era.release for era, _ in counted}
    ordered = sorted(releases.values(), key=main_release_first)
    places = {release.pk: place for place, release in enumerate(ordered)}

    def place(row: tuple[Era, int]) -> tuple[bool, int, int, int, int]:
        era, handed_in = row
        spec = era.judge_spec.pk
        return not handed_in, places[era.release.pk], -handed_in, -era.entries, -spec

    return tuple(era for era, _ in sorted(counted, key=place))


def main_release_first(release: Release) -> tuple[bool, int, float, int]:
    """Eras of one benchmark in the order of `ReleaseQuerySet.main_first`."""
    newest = (release.opened or release.created).timestamp()
    return release.language != "en", -release.question_count, -newest, -release.pk


def choose_era(eras: Sequence[Era], release: str = "", judge: str = "") -> Era | None:
    """The first era of the release (its slug) and judge (its slug, or model:MODEL@ENDPOINT) asked
    for; None where the benchmark has none at all."""
    fitting = [
        era
        for era in eras
        if release in ("", era.release.slug) and (not judge or era.judge_spec.is_called(judge))
    ]
    if fitting:
        return fitting[0]
    if release or judge:
        raise NoSuchEraError(f"This board has no entries {era_words(release, judge)}.")
    return None


def era_words(release: str, judge: str) -> str:
    """What was asked for, and nothing of what was not."""
    asked = (("of the release", release), ("judged by", judge))
    return " ".join(f"{words} “{slug}”" for words, slug in asked if slug)
