"""Verdicts are kept: what was decided before is found by its case, and nothing is written over.

Asking anew moves a verdict into EarlierVerdict. Whoever looks for a verdict or a reply by content
key looks at what stands and at what stood before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, product

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from benchmarks.common.hashing import digest_of
from benchmarks.models import Description, Reference
from benchmarks.protocols.base import JudgeCase, JudgingPort
from benchmarks.registry import protocol
from benchmarks.submissions.models import Answer
from judging.coordination import queue
from judging.coordination.clock import database_now
from judging.models import EarlierVerdict, JudgedTexts, Judgement, JudgeRun, JudgeSpec
from judging.selectors import make_cases, slot_from_key
from judging.texts import EVERY_KIND, Kinds, TextIds, Texts, texts_read, todays_texts

State = Judgement.State
PLACEHOLDER = "\x00"  # in no text: uploads and datasets with it are refused
# Keys of one statement; SQLite takes 999 for certain.
IN_ONE_QUERY = 500
BATCH = 600
MOST_VERSIONS = 20  # of one text, tried one after the other to find what an old verdict was by
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


def pin_texts(*, run: JudgeRun) -> int:
    """Verdicts of the run from before their texts were kept name them, as far as their content key
    tells; how many do.

    What was asked is made again with today's texts and with earlier versions, until its key is the
    one stored.
    """
    keys = list(
        run.judgements.filter(texts__isnull=True).order_by("pk").values_list("pk", flat=True)
    )
    return sum(
        pin_rows(keys[start : start + BATCH], run.judge_spec)
        for start in range(0, len(keys), BATCH)
    )


def pin_rows(keys: Sequence[int], spec: JudgeSpec) -> int:
    rows = list(
        Judgement.objects.filter(pk__in=keys)
        .order_by("pk")
        .select_related(
            "answer__question__subtask__ability",
            "answer__question__figure",
            "answer__submission__release__benchmark",
        )
    )
    found = texts_of_keys(rows, spec)
    keys_of = {row.pk: row.content_key for row in rows}
    stored = stored_texts(found.values())
    for pk, ids in found.items():
        # Nothing is written where the row was asked about anew meanwhile.
        same = Judgement.objects.filter(pk=pk, content_key=keys_of[pk], texts__isnull=True)
        same.update(texts=stored[ids])
    return len(found)


def texts_of_keys(rows: Sequence[Judgement], spec: JudgeSpec) -> dict[int, TextIds]:
    """By primary key, what these rows of one language were asked with, for those whose key
    tells."""
    if not rows:
        return {}
    judging, kinds = protocol(spec.protocol).judging, texts_read(spec)
    answers = [row.answer for row in rows]
    slots = [slot_from_key(row.slot) for row in rows]
    # Of all kinds, also those the judge does not read: the keys of rules held them once.
    today = todays_texts(answers, EVERY_KIND)
    cases = [case for case, _ in make_cases(answers, slots, today)]
    found: dict[int, TextIds] = {}
    made = moments_of(today)
    for row, case, now in zip(rows, cases, today, strict=True):
        for texts in chain([now], earlier_texts(row.answer)):
            asked = replace(case, description=texts.description, reference=texts.reference)
            if content_key(asked, spec, judging) == row.content_key:
                is_later = texts is not now or made_after(texts.ids, made, row.settled)
                ids = of_its_time(texts, row) if is_later else texts.ids
                found[row.pk] = limited(ids, kinds)
                break
    return found


def approved_descriptions(answer: Answer) -> "QuerySet[Description]":
    """Of the answer's figure and language, the newest first."""
    return Description.objects.filter(
        figure=answer.question.figure_id,
        language=answer.submission.release.language,
        state=Description.State.APPROVED,
    ).order_by("-version")


def moments_of(today: Iterable[Texts]) -> Mapping[tuple[str, int | None], datetime]:
    """By kind and primary key, from when each of these versions was judged by."""
    texts = list(today)
    described = Description.objects.filter(
        pk__in=[t.ids.description for t in texts if t.ids.description]
    )
    referred = Reference.objects.filter(pk__in=[t.ids.reference for t in texts if t.ids.reference])
    approved = described.annotate(made=Coalesce("reviewed_at", "created"))
    return {
        **{("description", pk): made for pk, made in approved.values_list("pk", "made")},
        **{("reference", pk): made for pk, made in referred.values_list("pk", "created")},
    }


def made_after(
    ids: TextIds, made: Mapping[tuple[str, int | None], datetime], moment: datetime | None
) -> bool:
    moments = (made.get(("description", ids.description)), made.get(("reference", ids.reference)))
    return moment is not None and any(m is not None and m > moment for m in moments)


def of_its_time(texts: Texts, row: Judgement) -> TextIds:
    """The newest versions with these words that there were when the row was settled; as they are
    where there were none: words that came back are not what an older verdict read."""
    ids = texts.ids
    if row.settled is None:
        return ids
    description, reference = ids.description, ids.reference
    if description is not None:
        described = approved_descriptions(row.answer).filter(
            Q(reviewed_at__lte=row.settled) | Q(reviewed_at=None, created__lte=row.settled),
            text=texts.description,
        )
        description = described.values_list("pk", flat=True).first() or description
    if reference is not None:
        referred = Reference.objects.filter(
            question=ids.question, text=texts.reference, created__lte=row.settled
        )
        reference = referred.order_by("-version").values_list("pk", flat=True).first() or reference
    return TextIds(ids.question, description, reference)


def earlier_texts(answer: Answer) -> Iterator[Texts]:
    """Every pair of an approved description and a reference that the question had, or had not yet,
    the newest first."""
    question = answer.question
    described = approved_descriptions(answer)
    referred = Reference.objects.filter(question=question)
    descriptions, references = (
        [*versions.order_by("-version").values_list("pk", "text")[:MOST_VERSIONS], (None, "")]
        for versions in (described, referred)
    )
    for (description, words), (reference, reference_words) in product(descriptions, references):
        yield Texts(TextIds(question.pk, description, reference), words, reference_words)


def limited(ids: TextIds, kinds: Kinds) -> TextIds:
    """Without what the judge does not read."""
    return TextIds(
        ids.question,
        ids.description if "description" in kinds else None,
        ids.reference if "reference" in kinds else None,
    )
