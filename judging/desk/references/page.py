"""What the pages of references show, as values: a question with its proposals, and a request with
its price and yield."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from benchmarks.forms.diff import word_diff
from benchmarks.models import Question, Reference
from benchmarks.selectors import approved_descriptions
from benchmarks.services.references import closed_reason, live_reference
from judging.coordination.money import print_money
from judging.desk.descriptions.page import pictures_of
from judging.desk.stale.staleness import judgements_of_questions, reference_radius
from judging.engine.references import ReferenceEstimate
from judging.models import ReferenceProposal, ReferenceRequest
from judging.services import REFERENCE_REVIEW

State = ReferenceProposal.State
PROPOSALS_SHOWN = 50  # as the worklist shows; each is two texts side by side
ORIGINS = {"dataset": "from the dataset", "human": "written by hand", "generated": "generated"}


def question_page(*, question: Question, user: User) -> dict[str, Any]:
    live = live_reference(question)
    proposals = list(
        question.reference_proposals.select_related("author", "reviewed_by", "reference")[
            :PROPOSALS_SHOWN
        ]
    )
    may_review = user.has_perm("benchmarks.approve_description")
    return {
        **question_values(question),
        "live": live,
        "waiting": [
            proposed(one, live, user, counts=may_review)
            for one in proposals
            if one.state == State.IN_REVIEW
        ],
        "ended": [one for one in proposals if one.state != State.IN_REVIEW],
        "versions": question.references.order_by("-version"),
        "may_propose": user.has_perm("benchmarks.add_reference"),
        "may_review": may_review,
        "next_question": next_question(question, user) if may_review else None,
    }


def question_values(question: Question) -> dict[str, Any]:
    """What the page of a question shows, whatever is proposed about it."""
    return {
        "question": question,
        "pictures": pictures_of(question.figure) if question.figure else (),
        "descriptions": descriptions_of(question),
        "closed": closed_reason(question),
    }


def next_question(question: Question, user: User) -> int | None:
    """The question after this one whose proposal has waited longest for somebody else than its
    author; the list begins again at its end."""
    waiting = (
        ReferenceProposal.objects.filter(state=State.IN_REVIEW)
        .exclude(author=user)
        .exclude(question=question)
        .order_by("created", "pk")
    )
    here = question.reference_proposals.order_by("-created").values_list("created", flat=True)
    after = waiting.filter(created__gte=here[0]) if here else waiting
    found: int | None = (
        after.values_list("question", flat=True).first()
        or waiting.values_list("question", flat=True).first()
    )
    return found


def descriptions_of(question: Question) -> tuple[tuple[str, str], ...]:
    """The approved description of the figure in each language of the question's releases."""
    if question.figure_id is None:
        return ()
    languages = question.releases.order_by().values_list("language", flat=True).distinct()
    found = ((code, approved_descriptions([question.figure_id], code)) for code in languages)
    return tuple((code, texts[question.figure_id]) for code, texts in found if texts)


def proposed(
    proposal: ReferenceProposal, live: Reference | None, user: User, *, counts: bool
) -> dict[str, Any]:
    """A proposal with what it changes. `is_late`: another version went live since it was
    written."""
    is_late = proposal.replaces != (live.version if live else 0)
    return {
        "proposal": proposal,
        "segments": word_diff(live.text if live else "", proposal.text),
        "is_mine": bool(REFERENCE_REVIEW.why_own(user, proposal)),
        "is_late": is_late,
        "radius": reference_radius(question=proposal.question, text=proposal.text)
        if counts and not is_late
        else None,
    }


def request_page(*, request: ReferenceRequest, user: User, may_stop: bool) -> dict[str, Any]:
    """`may_stop`: whether the person may stop requests of others."""
    is_mine = request.requested_by_id == user.pk
    is_running = request.finished is None and request.stopped is None
    waiting = request.proposals.filter(state=State.IN_REVIEW)
    counts = request.proposals.aggregate(
        waiting=Count("pk", filter=Q(state=State.IN_REVIEW)),
        first=Count("pk", filter=Q(state=State.IN_REVIEW, replaces=0)),
        approved=Count("pk", filter=Q(state=State.APPROVED)),
        sent_back=Count("pk", filter=Q(state=State.SENT_BACK)),
    )
    shown = waiting.select_related("question", "author").order_by("pk")[:PROPOSALS_SHOWN]
    asked = Question.objects.filter(reference_proposals__in=waiting)
    live = Reference.objects.filter(question__in=asked).newest()
    origins = dict(live.order_by().values_list("origin").annotate(Count("pk")))
    live_by_question = {one.question_id: one for one in live}
    return {
        "request": request,
        "price": print_money(request.cost),
        **counts,
        "more": max(0, counts["waiting"] - PROPOSALS_SHOWN),
        "replaced": origin_sentence(origins),
        "judgements": judgements_of_questions(asked) if counts["waiting"] else 0,
        "proposals": [
            proposed(one, live_by_question.get(one.question_id), user, counts=False)
            for one in shown
        ],
        "may_review": user.has_perm("benchmarks.approve_description"),
        "is_mine": is_mine,
        "may_stop": is_running and (is_mine or may_stop),
    }


def origin_sentence(origins: dict[str, int]) -> str:
    """ "12 from the dataset, 3 written by hand"."""
    return ", ".join(f"{count} {ORIGINS[origin]}" for origin, count in sorted(origins.items()))


def estimate_sentence(estimate: ReferenceEstimate) -> str:
    """What a request will ask and cost, for the terminal and the admin."""
    others = f"{estimate.current} up to date or waiting for review"
    others += f", {estimate.undescribed} without an approved description"
    if not estimate.calls:
        return f"Nothing to ask: {others}."
    price = (
        f"at most {print_money(estimate.cost)}"
        if estimate.is_priced
        else "nothing says what they cost: the settings have no price of this model"
    )
    replaced = origin_sentence(dict(estimate.replaced))
    return (
        f"{estimate.calls} call{'' if estimate.calls == 1 else 's'}, {price}:"
        f" {estimate.first} for questions without a reference"
        + (
            f", {estimate.calls - estimate.first} beside one that is live ({replaced})"
            if replaced
            else ""
        )
        + f". Not asked: {others}."
    )
