"""What the pages of doubted labels show, as values: the list's first questions, and one question
with all that speaks against its label."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet

from benchmarks.forms.diff import word_diff
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
from benchmarks.services.references import live_reference
from judging.desk.labels.corrections import label_radius
from judging.desk.references.page import question_values

SHOWN = 50  # reports and corrections of one question; no question has as many
WAITING = LabelCorrection.State.IN_REVIEW


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


def doubt_page(*, question: Question, user: User) -> dict[str, Any]:
    """Needs what `question_view` needs, and the benchmark.

    `label` is empty where the benchmark's questions have none; `choices` where any text may be one.
    `derives_reference`: the reference is made of the label. `is_hidden`: some release hides what is
    right. `only_reads`: whoever looks can neither propose a label nor decide. `takes`: the fields
    that they can type into now."""
    port, view = labels_of(question), question_view(question)
    label = port.label(view) if port else ""
    live = live_reference(question)
    may_decide = user.has_perm("benchmarks.confirm_labelcorrection")
    corrections = question.label_corrections.select_related("author", "reviewed_by")[:SHOWN]
    waiting = next((one for one in corrections if one.state == WAITING), None)
    doubt = LabelDoubt.objects.filter(question=question).select_related("decided_by").first()
    values = question_values(question)
    rest = open_doubts().exclude(question=question)
    takes: set[str] = set()
    if waiting:
        takes |= {"comment"} if may_decide or waiting.author_id == user.pk else set()
    else:
        may_propose = (
            user.has_perm("benchmarks.add_labelcorrection") and label and not values["closed"]
        )
        is_doubted = doubt is not None and doubt.state == LabelDoubt.State.OPEN
        takes |= {"text", "reference", "reason"} if may_propose else set()
        takes |= {"answer"} if may_decide and is_doubted else set()
    return {
        **values,
        "doubt": doubt,
        "share": 100 * (doubt.share or 0) if doubt else 0,
        "label": label,
        "choices": port.choices(view) if port else (),
        "reference": live.text if live else "",
        "reference_version": live.version if live else 0,
        "derives_reference": bool(port and label and port.reference(view, label)),
        "reports": question.reports.select_related("reporter", "answered_by")[:SHOWN],
        "waiting": correction_line(waiting, live, user, may_decide=may_decide) if waiting else None,
        "ended": [one for one in corrections if one.state != WAITING],
        "may_decide": may_decide,
        "takes": takes,
        "is_hidden": question.releases.exclude(disclosure=Release.Disclosure.OPEN).exists(),
        "only_reads": not may_work_on_doubts(user),
        "next_question": rest.values_list("question", flat=True).first(),
    }


def correction_line(
    one: LabelCorrection, live: Reference | None, user: User, *, may_decide: bool
) -> dict[str, Any]:
    """`segments`: what it changes; `reference`: of the live reference, empty where that stays.
    `beside`: the reference that stands beside the label once it is confirmed, and `denied` what
    that says against it. `radius` is None for whoever may not confirm it."""
    text = live.text if live else ""
    is_mine = one.author_id == user.pk
    return {
        "correction": one,
        "beside": reference_beside(one),
        "denied": contradiction_in(one),
        "segments": word_diff(one.before, one.label),
        "reference": word_diff(text, one.reference) if is_new_reference(one) else (),
        "is_mine": is_mine,
        "radius": label_radius(one) if may_decide and not is_mine else None,
    }
