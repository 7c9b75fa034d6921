"""What came last on a board, as an Atom feed (RFC 4287)."""

from collections.abc import Callable

from django.utils.feedgenerator import Atom1Feed

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.board.choices import plain
from leaderboard.formatting import print_value
from leaderboard.models import Scoresheet
from leaderboard.seals import judge_seal

NEWEST = 50


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
    for sheet in newest_sheets(benchmark):
        submission = sheet.submission
        score = print_value(metric, sheet.ranking)
        feed.add_item(
            title=plain(f"{submission.model.name}: {metric.title} {score}"),
            link=address(f"/entries/{submission.pk}/?judge={sheet.judge_spec.slug}"),
            description=f"{submission.release.title}, judged by "
            f"{judge_seal(sheet.judge_spec).label}",
            unique_id=f"urn:uuid:{submission.pk}:{sheet.judge_spec.slug}",
            pubdate=submission.created,
            updateddate=sheet.computed,
            author_name=plain(submission.model.organisation) or "not named",
        )
    return feed.writeString("utf-8")


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
        .defer("figures", "board_figures", "draws", "lengths", "losses", "ability_moves")
    )
    return sorted(sheets, key=lambda s: (keys.index(s.submission_id), s.pk))
