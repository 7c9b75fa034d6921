"""What came last on a board, as an Atom feed (RFC 4287)."""

from collections.abc import Callable, Collection
from uuid import UUID

from django.utils.feedgenerator import Atom1Feed

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.board.asked import plain

NEWEST = 50
NEW_VERSION = "; a new version, in the place of an earlier entry"


def board_feed(benchmark: Benchmark, *, address: Callable[[str], str], board: str) -> str:
    """The newest public entries that are no baselines. `address` makes a path absolute, `board` is
    that of the board."""
    family = protocol(benchmark.slug).board
    metric = family.METRICS[family.BOARD.ranking]
    feed = Atom1Feed(
        title=f"{benchmark.title}: new entries",
        link=address(board),
        description=family.BOARD.summary,
        feed_url=address(f"{board}feed.atom"),
        language="en",
    )
    sheets = newest_sheets(benchmark)
    followers = in_place_of_public({sheet.submission_id for sheet in sheets})
    for sheet in sheets:
        submission = sheet.submission
        score = print_value(metric, sheet.ranking)
        feed.add_item(
            title=plain(f"{submission.model.name}: {metric.title} {score}"),
            link=address(f"/entries/{submission.pk}/?judge={sheet.judge_spec.slug}"),
            description=f"{submission.release.title}, judged by "
            f"{judge_seal(sheet.judge_spec).label}"
            + (NEW_VERSION if submission.pk in followers else ""),
            unique_id=f"urn:uuid:{submission.pk}:{sheet.judge_spec.slug}",
            pubdate=submission.created,
            updateddate=sheet.computed,
            author_name=plain(submission.model.organisation) or "not named",
        )
    return feed.writeString("utf-8")


def in_place_of_public(keys: Collection[UUID]) -> set[UUID]:
    """Those of them that replaced an entry which was public."""
    replaced = Submission.objects.filter(replaced_by__in=keys, was_public=True)
    return {row.replaced_by_id for row in replaced.only("replaced_by") if row.replaced_by_id}


def newest_sheets(benchmark: Benchmark) -> list[Scoresheet]:
    newest = (
        Submission.objects.public()
        .filter(release__benchmark=benchmark, scoresheets__isnull=False)
        .exclude(origin=Submission.Origin.BASELINE)
        .order_by("-created", "-pk")
        .distinct()
    )
    keys = [submission.pk for submission in newest[:NEWEST]]
    sheets = (
        Scoresheet.objects.filter(submission__in=keys)
        .select_related("submission__model", "submission__release", "judge_spec")
        .defer("figures", "board_figures", "draws", "lengths", "ability_moves")
    )
    return sorted(sheets, key=lambda s: (keys.index(s.submission_id), s.pk))
