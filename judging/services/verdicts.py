"""Verdicts are kept: what was decided before is found by its case, and nothing is written over.

Asking anew moves a verdict into EarlierVerdict. Whoever looks for a verdict or a reply by content
key looks at what stands and at what stood before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from benchmarks.common.hashing import digest_of
from benchmarks.protocols.base import JudgeCase, JudgingPort
from judging.coordination import queue
from judging.coordination.clock import database_now
from judging.models import EarlierVerdict, JudgedTexts, Judgement, JudgeSpec
from judging.texts import TextIds

State = Judgement.State
REUSED = (
    "a stored verdict for the same question and answer was used again; nothing was asked or paid"
)
"""The reason of a judgement that took the verdict of another one of its case."""
REUSED_BEFORE = "the same case was judged before"
"""The same, as older versions stored it."""
PLACEHOLDER = "\x00"  # in no text: uploads and datasets with it are refused
# Keys of one statement; SQLite takes 999 for certain.
IN_ONE_QUERY = 500
KEPT = (
    "content_key",
    "texts_id",
    "verdict",
    "reason",
    "raw_reply",
    "finish_reason",
    "reported_model",
    "prompt_tokens",
    "reply_tokens",
    "latency_ms",
    "reused_from_id",
    "settled",
)
"""What of a judgement an `EarlierVerdict` keeps."""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """What a judgement has or had: its verdict, "" where the reply gave none, and the reply.
    `judgement` is whose."""

    judgement: int
    verdict: str
    raw_reply: str
    finish_reason: str
    reported_model: str


STORED = ("verdict", "raw_reply", "finish_reason", "reported_model")


def content_key(case: JudgeCase, spec: JudgeSpec, judging: JudgingPort) -> str:
    """Hash of exactly what is asked and of the spec: equal keys have one verdict. Delimiters,
    random, are left out."""
    if spec.prompt_set is not None:
        asked: object = [
            [m.role, m.content] for m in judging.messages(case, spec.prompt_set.texts, PLACEHOLDER)
        ]
    else:
        truth = dict(case.question.truth)
        asked = [
            case.question.text,
            case.reference,
            case.description,
            case.answer,
            case.peer_answer,
            truth,
        ]
    return digest_of([spec.content_hash, case.slot.key, asked])


# --- what was decided before ----------------------------------------------------------------------


def verdicts_known(keys: set[str]) -> dict[str, StoredReply]:
    """A verdict by content key, for the keys that have or had one. A key names its spec: filtering
    by spec as well would have SQLite read all that the spec ever judged."""
    return stored_replies(keys, Judgement.objects.filter(state=State.JUDGED))


def replies_stored(keys: set[str]) -> dict[str, StoredReply]:
    """A reply by content key, whether or not a verdict could be read in it; none where nothing was
    asked."""
    ended = (State.JUDGED, State.UNREADABLE, State.REFUSED, State.TOO_LONG)
    return stored_replies(keys, Judgement.objects.filter(state__in=ended), with_reply=True)


def stored_replies(
    keys: set[str], reusable: "QuerySet[Judgement]", *, with_reply: bool = False
) -> dict[str, StoredReply]:
    """By content key: what stands, else the newest of what stood before."""
    known: dict[str, StoredReply] = {}
    ordered = sorted(keys)
    for start in range(0, len(ordered), IN_ONE_QUERY):
        part = ordered[start : start + IN_ONE_QUERY]
        before: QuerySet[EarlierVerdict] = EarlierVerdict.objects.order_by("-pk")
        for rows, owner in ((reusable, "pk"), (before, "judgement_id")):
            found = rows.filter(content_key__in=part).values_list("content_key", owner, *STORED)
            for key, *stored in found.exclude(finish_reason="") if with_reply else found:
                known.setdefault(key, StoredReply(*stored))
    return known


def keep_verdicts(rows: Iterable[Judgement]) -> None:
    """The verdicts that these rows, locked by the caller, have are kept; others of the rows have
    none."""
    now = database_now()
    EarlierVerdict.objects.bulk_create(
        EarlierVerdict(
            judgement_id=row.pk, replaced=now, **{name: getattr(row, name) for name in KEPT}
        )
        for row in rows
        if row.state == State.JUDGED
    )


# --- which texts it was decided by ----------------------------------------------------------------


def stored_texts(wanted: Iterable[TextIds]) -> Mapping[TextIds, int]:
    """The row of each of these versions; it exists afterwards. Rows are made in one order, so that
    two workers who need the same ones wait for each other and never both."""
    keys = {texts.key: texts for texts in wanted}
    found = rows_by_key(keys)
    missing = sorted(keys.keys() - found.keys())
    if missing:
        JudgedTexts.objects.bulk_create(
            (
                JudgedTexts(
                    key=key,
                    question_id=keys[key].question,
                    description_id=keys[key].description,
                    reference_id=keys[key].reference,
                )
                for key in missing
            ),
            ignore_conflicts=True,
        )
        found |= rows_by_key(missing)
    return {texts: found[key] for key, texts in keys.items()}


def rows_by_key(keys: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    ordered = sorted(keys)
    for start in range(0, len(ordered), IN_ONE_QUERY):
        rows = JudgedTexts.objects.filter(key__in=ordered[start : start + IN_ONE_QUERY])
        found.update(rows.values_list("key", "pk"))
    return found


def pin_leased(asked: Iterable[tuple[Judgement, str, TextIds]]) -> None:
    """Claimed rows, with `texts` selected, name the case they are asked about and its texts, where
    they named others."""
    changed = [
        (row, key, texts)
        for row, key, texts in asked
        if row.content_key != key or row.texts is None or row.texts.key != texts.key
    ]
    if changed:
        stored = stored_texts({texts for *_, texts in changed})
        queue.rekey((row, key, stored[texts]) for row, key, texts in changed)
