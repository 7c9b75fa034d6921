"""What the pages of doubted labels show, as values: the list's first questions, and one question
with all that speaks against its label."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet

from benchmarks.forms.diff import Segment, word_diff
from benchmarks.models import (
    LabelCorrection,
    LabelDoubt,
    Question,
    QuestionReport,
    Reference,
    Release,
)
from benchmarks.selectors import question_view
from benchmarks.services.label_corrections import (
    contradiction_in,
    is_new_reference,
    labels_of,
    reference_beside,
)
from benchmarks.services.references import may_change
from judging.desk.description_page import Picture, pictures_of
from judging.desk.label_corrections import LabelRadius, label_radius
from judging.desk.reference_page import descriptions_of
from judging.services.proposals import live_reference

SHOWN = 50  # reports and corrections of one question; no question has as many
WAITING = LabelCorrection.State.IN_REVIEW


@dataclass(frozen=True, slots=True)
class Correction:
    """`segments`: what it changes; `reference`: of the live reference, empty where that stays.
    `beside`: the reference that stands beside the label once it is confirmed, and `denied` what
    that says against it. `radius` is None for whoever may not confirm it."""

    correction: LabelCorrection
    beside: str
    denied: str
    segments: tuple[Segment, ...]
    reference: tuple[Segment, ...]
    is_mine: bool
    radius: LabelRadius | None

    @property
    def stays(self) -> bool:
        """Whether the reference beside it is the one that is live."""
        return not self.reference


@dataclass(frozen=True, slots=True)
class DoubtPage:
    """`label` is empty where the benchmark's questions have none; `choices` where any text may be
    one. `derives_reference`: the reference is made of the label. `is_hidden`: some release hides
    what is right. `only_reads`: whoever looks can neither propose a label nor decide."""

    question: Question
    doubt: LabelDoubt | None
    pictures: tuple[Picture, ...]
    descriptions: tuple[tuple[str, str], ...]
    label: str
    choices: tuple[str, ...]
    reference: str
    reference_version: int
    derives_reference: bool
    reports: tuple[QuestionReport, ...]
    waiting: Correction | None
    ended: tuple[LabelCorrection, ...]
    may_propose: bool
    may_decide: bool
    closed: str
    is_hidden: bool
    only_reads: bool
    next_question: int | None

    @property
    def takes(self) -> frozenset[str]:
        """The fields that whoever looks can type into now."""
        if self.waiting:
            return frozenset(["comment"] if self.may_decide or self.waiting.is_mine else [])
        found = ["text", "reference", "reason"] if self.may_propose and not self.closed else []
        is_doubted = self.doubt is not None and self.doubt.state == LabelDoubt.State.OPEN
        return frozenset([*found, *(["answer"] if self.may_decide and is_doubted else [])])

    @property
    def share(self) -> str:
        return f"{100 * self.doubt.share:.0f} %" if self.doubt and self.doubt.share else "0 %"


def may_work_on_doubts(user: User) -> bool:
    """Moderators read doubts and decide none: to them they are no work that waits."""
    return user.has_perm("benchmarks.view_labeldoubt") and (
        user.has_perm("benchmarks.add_labelcorrection")
        or user.has_perm("benchmarks.confirm_labelcorrection")
    )


def open_doubts() -> "QuerySet[LabelDoubt]":
    """The queue."""
    return in_order(LabelDoubt.objects.filter(state=LabelDoubt.State.OPEN))


def in_order(doubts: "QuerySet[LabelDoubt]") -> "QuerySet[LabelDoubt]":
    """What waits for a second person first, then what is reported most, then what boards suspect
    most. Each with `reports` and `corrections` that are open."""
    is_open = Q(question__reports__state=QuestionReport.State.OPEN)
    waits = Q(question__label_corrections__state=WAITING)
    found = doubts.annotate(
        reports=Count("question__reports", filter=is_open, distinct=True),
        corrections=Count("question__label_corrections", filter=waits, distinct=True),
    )
    suspected = F("suspicion").desc(nulls_last=True)
    return found.order_by("-corrections", "-reports", suspected, "opened", "pk")


def doubt_page(*, question: Question, user: User) -> DoubtPage:
    """Needs what `question_view` needs, and the benchmark."""
    port, view = labels_of(question), question_view(question)
    label = port.label(view) if port else ""
    live = live_reference(question)
    may_decide = user.has_perm("benchmarks.confirm_labelcorrection")
    corrections = question.label_corrections.select_related("author", "decided_by")[:SHOWN]
    waiting = next((one for one in corrections if one.state == WAITING), None)
    reports = question.reports.select_related("reporter", "answered_by")[:SHOWN]
    rest = open_doubts().exclude(question=question)
    return DoubtPage(
        question=question,
        doubt=LabelDoubt.objects.filter(question=question).select_related("decided_by").first(),
        pictures=pictures_of(question.figure) if question.figure else (),
        descriptions=descriptions_of(question),
        label=label,
        choices=port.choices(view) if port else (),
        reference=live.text if live else "",
        reference_version=live.version if live else 0,
        derives_reference=bool(port and label and port.reference(view, label)),
        reports=tuple(reports),
        waiting=correction_line(waiting, live, user, may_decide=may_decide) if waiting else None,
        ended=tuple(one for one in corrections if one.state != WAITING),
        may_propose=user.has_perm("benchmarks.add_labelcorrection") and bool(label),
        may_decide=may_decide,
        closed="" if may_change(question) else "Every release with this question is closed.",
        is_hidden=question.releases.exclude(disclosure=Release.Disclosure.OPEN).exists(),
        only_reads=not may_work_on_doubts(user),
        next_question=rest.values_list("question", flat=True).first(),
    )


def correction_line(
    one: LabelCorrection, live: Reference | None, user: User, *, may_decide: bool
) -> Correction:
    text = live.text if live else ""
    is_mine = one.author_id == user.pk
    return Correction(
        correction=one,
        beside=reference_beside(one),
        denied=contradiction_in(one),
        segments=word_diff(one.before, one.label),
        reference=word_diff(text, one.reference) if is_new_reference(one) else (),
        is_mine=is_mine,
        radius=label_radius(one) if may_decide and not is_mine else None,
    )
