"""What everybody may see of hidden texts: the one place that decides it, for pages, API and
exports.

Where the references of a release are not public, neither is what may repeat them: a judge's reply
(some repeat their whole prompt), a fault of the dataset told with its reference, and the answers
that this project makes from descriptions as baselines. Of a reply remain its verdict, its state and
its hash, by which it can be told from any other, and checked once it is published. Whose entry it
is makes no difference: who could read more of an own entry than of others' would hand one in to
read it. People who may review judgements read replies in the admin.

Of a hidden test nobody is told how single answers were judged, neither in full nor by sums that
tell it: what reads verdicts here gives nothing, and whoever asks for them is refused by
`require_verdicts`. Its scoresheets hold one rounded score
(leaderboard/results/scoresheets/hidden_tests.py).

A figure has one description in all releases that show it: its words, and what may repeat them, are
public only where the references of every one of these releases are.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404

from benchmarks.forms.diff import Segment, word_diff
from benchmarks.models import Description, Question, Reference, Release
from benchmarks.protocols.base import TextKind
from benchmarks.selectors import (
    corrections_in,
    kept_truths,
    newest_references,
    protocol_of,
    question_view,
)
from benchmarks.submissions.models import Answer, Submission
from judging.models import EarlierVerdict, JudgedTexts, Judgement, JudgeRun
from judging.services.verdicts import REUSED, REUSED_BEFORE
from judging.texts import EVERY_KIND, Kinds, Texts, texts_read, todays_texts

MOST_EARLIER = 20
"""Verdicts of one judgement that a page shows: texts that go to and fro must not make it
endless."""

MOST_CORRECTIONS = 50
"""Corrected labels that a page shows."""
MOST_VERSIONS = 5
"""Of a description that a page shows, for each is compared with the one before it."""

MOST_COMPARED = 12_000
"""Characters of two versions that are compared: half a hundredth of a second, and it grows with the
square."""

HIDDEN_FAULT = (
    "The dataset has a fault here. What it is would tell the reference, which is not public."
)


HIDDEN_TEST = (
    "This release is a hidden test: verdicts on single answers are shown to no one, and entries "
    "have one rounded score."
)


def require_verdicts(release: Release) -> None:
    """Raises Http404, which says why, where nobody is told the verdicts of the release."""
    if not release.verdicts_are_public:
        raise Http404(HIDDEN_TEST)


@dataclass(frozen=True, slots=True)
class ShownReply:
    """One slot of an answer: what was decided, or why nothing was. `title` says it in words of its
    benchmark. `sha256` is that of the reply,
    empty where none came; `text` is empty where it is hidden, and `has_text` then tells a hidden
    reply from an empty one."""

    slot: str
    state: str
    verdict: str
    reason: str
    sha256: str
    text: str
    has_text: bool
    title: str = ""
    texts: "tuple[ShownText, ...]" = ()
    earlier: "tuple[EarlierReply, ...]" = ()


@dataclass(frozen=True, slots=True)
class ShownText:
    """A version of a text that the judge read, 0 where there was none yet. `today`: the version
    judged by today, 0 where its words are these, or where there is none any more. `text` is empty
    where it is hidden."""

    kind: TextKind
    version: int
    today: int
    text: str


@dataclass(frozen=True, slots=True)
class EarlierReply:
    """A verdict that stood until the case was asked about anew, and by which versions; `text` is
    its reply, empty where that is hidden."""

    verdict: str
    replaced: datetime
    versions: str
    text: str


def shown_replies(run: JudgeRun, answer_ids: Iterable[int]) -> Mapping[int, Sequence[ShownReply]]:
    """By answer, in the order of their slots, each with the texts it was judged by and the verdicts
    it had before."""
    release, kinds = run.submission.release, texts_read(run.judge_spec)
    if not release.verdicts_are_public:
        return {}
    titles = protocol_of(release).judging.SLOT_TITLES
    read = ("texts__description", "texts__reference")
    answers = Answer.objects.select_related("question").in_bulk(list(answer_ids))
    rows = list(
        Judgement.objects.filter(run=run, answer__in=answers).select_related(*read).order_by("slot")
    )
    for row in rows:  # of one submission and few answers: no join makes them anew for every slot
        row.answer = answers[row.answer_id]
        row.answer.submission = run.submission
    kept: dict[int, list[EarlierVerdict]] = {}
    for verdict in EarlierVerdict.objects.filter(judgement__in=rows).select_related(*read):
        kept.setdefault(verdict.judgement_id, []).append(verdict)
    today = todays_texts([row.answer for row in rows], kinds)
    versions = version_numbers(today)
    public = public_texts(release, [row.answer for row in rows])
    found: dict[int, list[ShownReply]] = {}
    for row, now in zip(rows, today, strict=True):
        shown = public[row.answer_id]
        is_public = release.references_are_public and kinds <= shown | {"reference"}
        reply = replace(
            shown_reply(row, is_public=is_public),
            title=slot_title(row.slot, titles, run.judge_spec.repeats),
            texts=shown_texts(row, now, versions, shown),
            earlier=tuple(
                earlier_reply(one, is_public=is_public)
                for one in kept.get(row.pk, ())[:MOST_EARLIER]
            ),
        )
        found.setdefault(row.answer_id, []).append(reply)
    return found


def slot_title(key: str, titles: Mapping[str, str], repeats: int) -> str:
    """What a call decides, and the how-manieth time it was asked where it was asked again; the slot
    itself where its protocol has none of that name any more."""
    name, _, repeat = key.rpartition(".")
    title = titles.get(name, key)
    return f"{title} (asked {repeats:,} times, this is {repeat})" if repeats > 1 else title


def public_texts(release: Release, answers: Sequence[Answer]) -> Mapping[int, Kinds]:
    """By answer, the texts of its question whose words everybody may read. Needs `question`
    selected."""
    kinds = public_kinds(release, [answer.question.figure_id for answer in answers])
    return {answer.pk: kind for answer, kind in zip(answers, kinds, strict=True)}


def public_kinds(release: Release, figures: Sequence[int | None]) -> Sequence[Kinds]:
    """The public kinds of texts of questions, by the primary keys of their figures."""
    if not release.references_are_public:
        return [frozenset()] * len(figures)
    hidden = hidden_figures(figures)
    return [frozenset({"reference"}) if figure in hidden else EVERY_KIND for figure in figures]


def hidden_figures(figures: Iterable[int | None]) -> frozenset[int | None]:
    """Those that a release shows whose references are not public, whatever its state."""
    found = Question.objects.filter(
        figure__in={figure for figure in figures if figure},
        releases__disclosure__in=[level for level in Release.Disclosure if level != "open"],
    )
    return frozenset(found.order_by().values_list("figure", flat=True).distinct())


def version_numbers(today: Iterable[Texts]) -> Mapping[tuple[TextKind, int], int]:
    """By kind and primary key the number of each version."""
    shown = list(today)
    descriptions = Description.objects.filter(
        pk__in=[t.ids.description for t in shown if t.ids.description]
    )
    references = Reference.objects.filter(
        pk__in=[t.ids.reference for t in shown if t.ids.reference]
    )
    described = descriptions.values_list("pk", "version")
    referred = references.values_list("pk", "version")
    return {
        **{("description", pk): version for pk, version in described},
        **{("reference", pk): version for pk, version in referred},
    }


def shown_texts(
    row: Judgement, now: Texts, versions: Mapping[tuple[TextKind, int], int], public: Kinds
) -> tuple[ShownText, ...]:
    """What a verdict was made by, and what there was none of then and is today; nothing where that
    is not known, where there is no verdict, or where its judge reads nothing that has versions."""
    read: JudgedTexts | None = row.texts
    if read is None or row.state != Judgement.State.JUDGED:
        return ()
    kinds: tuple[tuple[TextKind, Description | Reference | None, int | None, str], ...] = (
        ("description", read.description, now.ids.description, now.description),
        ("reference", read.reference, now.ids.reference, now.reference),
    )
    return tuple(
        ShownText(
            kind=kind,
            version=one.version if one else 0,
            today=0 if one and one.text == words else versions.get((kind, newest or 0), 0),
            text=one.text if one and kind in public else "",
        )
        for kind, one, newest, words in kinds
        if one or words
    )


def earlier_reply(kept: EarlierVerdict, *, is_public: bool) -> EarlierReply:
    read = kept.texts
    parts = [
        f"description version {read.description.version}" if read and read.description else "",
        f"reference version {read.reference.version}" if read and read.reference else "",
    ]
    return EarlierReply(
        verdict=kept.verdict,
        replaced=kept.replaced,
        versions=", ".join(part for part in parts if part),
        text=kept.raw_reply if is_public else "",
    )


def shown_reply(judgement: Judgement, *, is_public: bool) -> ShownReply:
    has_reply = judgement.latency_ms is not None or judgement.reused_from_id is not None
    reply = judgement.raw_reply
    return ShownReply(
        slot=judgement.slot,
        state=judgement.state,
        verdict=judgement.verdict,
        reason=REUSED if judgement.reason == REUSED_BEFORE else judgement.reason,
        sha256=hashlib.sha256(reply.encode()).hexdigest() if has_reply else "",
        text=reply if is_public and reply.strip() else "",
        has_text=bool(reply.strip()),
    )


def shown_references(release: Release, question_ids: Iterable[int]) -> Mapping[int, str]:
    """The newest reference by question, for those that have one; none where they are hidden."""
    return newest_references(question_ids) if release.references_are_public else {}


def shown_labels(release: Release, questions: Iterable[Question]) -> Mapping[int, str]:
    """What is expected by question, in the words of its benchmark; none where labels are hidden.
    Needs what a `QuestionView` needs."""
    labels = protocol_of(release).labels
    if labels is None or not release.references_are_public:
        return {}
    kept = kept_truths(release)
    return {one.pk: labels.label(question_view(one, kept)) for one in questions}


def shown_anomalies(release: Release) -> Mapping[str, Sequence[str]]:
    """What is wrong with a question, by its public id; each sentence once."""
    found: dict[str, dict[str, None]] = {}
    for anomaly in release.anomalies:
        is_public = release.references_are_public or anomaly.get("is_public", False)
        if not (is_public or release.verdicts_are_public):
            continue  # that there is a fault may already tell what the reference is
        sentences_of = found.setdefault(anomaly["question"], {})
        sentences_of[anomaly["message"] if is_public else HIDDEN_FAULT] = None
    return {question: tuple(sentences) for question, sentences in found.items()}


@dataclass(frozen=True, slots=True)
class ShownCorrection:
    """A label that was corrected after the release was opened. `before` and `label` are empty where
    references are hidden; `reason` was written for everybody."""

    question: int
    public_id: str
    before: str
    label: str
    reason: str
    confirmed: datetime


def shown_corrections(
    release: Release, question: Question | None = None
) -> tuple[int, tuple[ShownCorrection, ...]]:
    """How many labels of the release, or of one question of it, were corrected, and the newest of
    them (MOST_CORRECTIONS); of a hidden test only how many, for a label that was wrong and may have
    one of two values is told by being named."""
    found = corrections_in(release)
    if question is not None:
        found = found.filter(question=question)
    public = release.references_are_public
    if not release.verdicts_are_public:
        return found.count() if question is None else 0, ()
    newest = list(
        found.select_related("question").order_by("-reviewed_at", "-pk")[:MOST_CORRECTIONS]
    )
    count = len(newest) if len(newest) < MOST_CORRECTIONS else found.count()
    return count, tuple(
        ShownCorrection(
            question=one.question_id,
            public_id=one.question.public_id,
            before=one.before if public else "",
            label=one.label if public else "",
            reason=one.reason,
            confirmed=one.reviewed_at or one.created,
        )
        for one in newest
    )


def shown_answer(answer: Answer, submission: Submission, public: Kinds) -> str | None:
    """The answer as it was handed in; None where this project made it of a description that is not
    among the `public` texts of its question."""
    is_hidden = submission.repeats_hidden_text and "description" not in public
    return None if is_hidden else answer.text


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """An approved version of a description; `changes` are what it changed of the one before it,
    empty for the first."""

    version: int
    text: str
    approved: datetime
    changes: tuple[Segment, ...] = ()


def shown_descriptions(question: Question, release: Release) -> tuple[ShownVersion, ...]:
    """The approved versions, the newest first (MOST_VERSIONS); none where they are hidden. Drafts,
    and what was sent back, nobody is shown."""
    figure = question.figure_id
    if figure is None or not release.references_are_public or hidden_figures([figure]):
        return ()
    found = Description.objects.filter(
        figure=figure, language=release.language, state=Description.State.APPROVED
    ).order_by("-version")[: MOST_VERSIONS + 1]
    rows = list(found)
    return tuple(
        ShownVersion(
            version=row.version,
            text=row.text,
            approved=row.reviewed_at or row.created,
            changes=changes_of(before, row) if before else (),
        )
        for row, before in zip(rows[:MOST_VERSIONS], [*rows[1:], None], strict=False)
    )


def changes_of(before: Description, row: Description) -> tuple[Segment, ...]:
    """Nothing where the texts are too long to be compared while a page is made."""
    if len(before.text) + len(row.text) > MOST_COMPARED:
        return ()
    return word_diff(before.text, row.text)
