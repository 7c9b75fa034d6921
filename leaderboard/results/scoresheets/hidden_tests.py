"""The score of an entry of a hidden test: one number, rounded so that it hardly tells any label.

Rounding to fixed steps would tell labels at the edges: of two files that differ in one answer, one
may fall below an edge and the other not. So the score is rounded at random: up with the probability
by which it is above the step below. Of two scores that lie apart by what one answer is worth, the
rounded ones are then distributed alike but for that worth over the step, whichever scores they are.

The random number is made of a secret of the release and of all answers. The same answers always
have the same score, so that handing them in again shows nothing new, and so have they after a label
was corrected or the formulas changed: nothing can be averaged without another file, of which an
account has few (benchmarks.submissions.intake.quota.HIDDEN_TEST_LIMIT). It is not made of the
verdicts: answers that are wrong in two ways would show equal numbers, and another number would tell
the right answer.

docs/visitor/hidden_tests.md says what this bounds and what it does not.
"""

import hashlib
import hmac
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.models import Release
from benchmarks.protocols.base import Board, Contributions, Metric
from benchmarks.scoring.sheets import SCORING_VERSION, MetricValue, metric_of
from benchmarks.statistics.resampling import Floats

ANSWERS = 10
"""A step is worth at least as many answers: one score lets somebody who knows every other label
guess one right in at most 55 of 100 cases, where 50 are luck. With a hundred the releases of the
papers would have three steps."""
SHARES = (1 / 20, 1 / 10, 1 / 5, 1 / 4, 1 / 2)
"""Of the whole scale a step may be, so that its ends are on the grid. The least is five points of a
hundred: below it lie the differences that releases of a thousand questions cannot show anyway."""
LEEWAY = 1.25
"""How much more an answer may be worth in an entry that lacks verdicts: a tenth of all, spread
evenly, makes each of the others worth a ninth more, and the attacker above right in at most 56 of
100 cases."""
LAST_DIGIT = 1e-9
"""What is on the grid stays there, though a float misses it by its last digit."""
BITS = 53  # of a random number: what a float tells apart below 1


def share_needed(
    contributions: Contributions, ranking: str, metrics: Mapping[str, Metric]
) -> float:
    """The least step, as a share of the scale; infinite where that has no ends."""
    metric = metric_of(ranking, metrics)
    least, most = metric.scale if metric else (-math.inf, math.inf)
    if not math.isfinite(most - least):
        return math.inf
    return ANSWERS * worth_of_an_answer(contributions, ranking, metrics) / (most - least)


def worth_of_an_answer(
    contributions: Contributions, ranking: str, metrics: Mapping[str, Metric]
) -> float:
    """How far one answer can move the metric `ranking` at most: as if it moved every part that
    looks at its group from end to end. One answer is one unit of a part, or all its votes or
    rounds: of these units a part has at most as many as rows."""
    c = contributions
    made = c.derived.get(ranking)
    parts = made.parts if made else (ranking,)
    places = [c.names.index(part) for part in parts]
    counts = np.minimum(c.counts, c.asked)[places].astype(np.float64)
    ends = [metric.scale if (metric := metric_of(p, metrics)) else (0.0, 1.0) for p in parts]
    low, high = (np.array(end, dtype=np.float64) for end in zip(*ends, strict=True))
    if not np.isfinite(high - low).all():
        return math.inf
    middle = np.where(counts > 0, (low + high) / 2, np.nan)
    is_counted = c.denominator[..., places].sum(axis=0) > 0
    moved = middle + is_counted * (high - low) / np.maximum(counts, 1)

    def value(rows: Floats) -> Floats:
        columns = dict(zip(parts, rows.T, strict=True))
        return made.function(columns) if made else columns[ranking]

    changes = np.abs(value(moved) - value(np.broadcast_to(middle, moved.shape)))
    known = changes[~np.isnan(changes)]
    return float(known.max()) if len(known) else math.inf


def random_share(release: Release, texts: Iterable[str], *, of: str = "score") -> float:
    """In [0, 1), the same for the same answers, and known to nobody. texts: in the order of the
    questions. of: what is rounded; a number that rounded two of them would tell by the one how the
    other was."""
    answers = hashlib.sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        answers.update(len(content).to_bytes(8) + content)
    secret = bytes.fromhex(release.rounding_secret)
    made = hmac.new(secret, of.encode() + answers.digest(), hashlib.sha256).digest()
    return float((int.from_bytes(made[:8]) >> (64 - BITS)) / 2**BITS)


def rounded(value: float, scale: tuple[float, float], share: float, random: float) -> float:
    """On the grid of `share` of the scale, up or down by the random number. Its mean over random
    numbers is the value itself, and the ends of the scale stay what they are."""
    least, most = scale
    steps = (value - least) / (most - least) / share
    nearest = round(steps)
    is_on_grid = abs(steps - nearest) <= LAST_DIGIT
    return least + (most - least) * share * (nearest if is_on_grid else math.floor(steps + random))


def sealed(
    contributions: Contributions,
    *,
    score: float | None,
    release: Release,
    board: Board,
    metrics: Mapping[str, Metric],
    texts: Iterable[str],
) -> dict[str, Any]:
    """The fields of a scoresheet with all that a hidden test shows and nothing else: the ranking
    metric, where enough has a verdict. Pages, files and mails read scoresheets, and so none can
    tell more. The step of the release is that of its first scoresheet of enough
    verdicts, for good: before that no entry has a score. Nor has one that would need a larger step,
    because of the verdicts it lacks: where all but one of a subtask are missing, that answer is
    worth the whole subtask."""
    is_judged = contributions.coverage >= board.min_coverage
    needed = share_needed(contributions, board.ranking, metrics)
    found = next((share for share in SHARES if share >= needed - LAST_DIGIT), None)
    share = kept_share(release, found, is_judged=is_judged)
    coverage, shown, n = 0.0, None, release.question_count
    if share:
        texts = list(texts)
        random = random_share(release, texts, of="coverage")
        coverage = rounded(contributions.coverage, (0.0, 1.0), share, random)
        is_even = needed <= LEEWAY * share
        if score is not None and coverage >= board.min_coverage and is_even:
            scale = metrics[board.ranking].scale
            shown = rounded(score, scale, share, random_share(release, texts))
    packed = {board.ranking: MetricValue(shown, None, None, None, n, n, n, groups=0).packed()}
    return {
        "ranking": shown,
        "coverage": coverage,
        "figures": packed,
        "board_figures": packed,
        "draws": b"",
        "lengths": None,
        "item_scores": None,
        "ability_moves": None,
        "answers_digest": "",
        "verdicts_digest": "",
        "scoring": SCORING_VERSION,
    }


def kept_share(release: Release, found: float | None, *, is_judged: bool) -> float:
    """0 where the release has too few questions for a score, or nothing `is_judged` yet: an entry
    whose judge was away would leave the release without scores for good. Were it computed for each
    entry, one whose judge could not read a reply might be rounded to other steps than the rest."""
    rows = Release.objects.filter(pk=release.pk)
    if is_judged:
        rows.filter(rounding_share__isnull=True).update(rounding_share=found or 0.0)
    return float(rows.values_list("rounding_share", flat=True).get() or 0.0)
