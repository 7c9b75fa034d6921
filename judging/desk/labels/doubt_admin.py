"""Doubted labels in the admin: a queue of questions that readers report or boards suspect, and a
page of each, where one person corrects its label and another confirms that."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html

from benchmarks.admin import user_of
from benchmarks.forms.typed_text import PlainTextField, TypedTextField, number, plain_text
from benchmarks.models import LabelCorrection, LabelDoubt, Question
from benchmarks.services.label_corrections import (
    ContradictionError,
    contradiction_in,
    current_label,
    propose_label,
)
from benchmarks.services.label_doubts import dismiss_doubt
from benchmarks.services.proposals import ProposalError
from benchmarks.services.question_reports import MOST_CHARACTERS
from benchmarks.services.references import live_reference
from judging.desk.labels.corrections import LABEL_REVIEW
from judging.desk.labels.doubt_page import doubt_page, in_order
from judging.desk.proposal_admin import FORM, CommentForm
from judging.desk.references.admin import QuestionAdmin

MAX_LABEL = 5_000  # a hundred correct answers of some words each
MAX_REFERENCE = 20_000  # as of a reference that is proposed by itself
CALLED = {
    "text": "The label",
    "reference": "The reference",
    "reason": "Why the label is wrong",
    "answer": "Why the label is right",
    "comment": "Why it goes back",
}
"""The fields of the page's forms."""


def area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "form": FORM, "spellcheck": "true", "dir": "auto"})


class LabelForm(forms.Form):
    """`before` is the label that its writer read, `base` the version of the reference."""

    use_required_attribute = False
    text = PlainTextField(
        limit=MAX_LABEL,
        what="A label",
        label="The right label",
        widget=area(3),
        error_messages={"required": "Say what the label should be."},
    )
    reference = PlainTextField(
        limit=MAX_REFERENCE,
        what="A reference",
        label="The reference that goes with it",
        required=False,
        widget=area(4),
    )
    reason = TypedTextField(
        limit=MOST_CHARACTERS,
        what="A reason",
        label="Why the label is wrong",
        help_text="Public once the correction is confirmed.",
        widget=area(2),
        error_messages={"required": "Say why the label is wrong."},
    )
    before = forms.CharField(
        required=False, strip=False, widget=forms.HiddenInput(attrs={"form": FORM})
    )
    base = forms.CharField(required=False, widget=forms.HiddenInput(attrs={"form": FORM}))


class AnswerForm(forms.Form):
    use_required_attribute = False
    answer = TypedTextField(
        limit=MOST_CHARACTERS,
        what="An answer",
        label="Why the label is right",
        help_text="The person who reported the question reads it.",
        widget=area(2),
        error_messages={"required": "Say why the label is right."},
    )


class OpenFilter(admin.SimpleListFilter):
    """What is decided is shown only to who asks for it."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, value.capitalize()) for value in LabelDoubt.State.values[1:]]

    def choices(self, changelist: Any) -> Any:
        """Without a choice, what is open is shown."""
        first, *others = super().choices(changelist)
        yield {**first, "display": "Open"}
        yield from others

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[LabelDoubt]"
    ) -> "QuerySet[LabelDoubt]":
        return queryset.filter(state=self.value() or LabelDoubt.State.OPEN)


class LabelDoubtAdmin(QuestionAdmin):
    list_display = ["label_of", "benchmark", "reports", "waits", "suspicion", "opened", "state"]
    list_filter = [OpenFilter, "question__benchmark"]
    list_select_related = ["question__benchmark"]
    search_fields = ["question__public_id"]
    list_display_links = None
    list_per_page = 50
    show_full_result_count = False
    review = LABEL_REVIEW

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("benchmarks.view_labeldoubt")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[LabelDoubt]":
        """In the order of the queue, whatever the state."""
        found: QuerySet[LabelDoubt] = super().get_queryset(request)
        return in_order(found)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"title": "Doubted labels"})

    @admin.display(description="Question")
    def label_of(self, doubt: LabelDoubt) -> str:
        return format_html('<a href="{}">{}</a>', self.path_of(doubt.question), doubt.question)

    @admin.display(description="Benchmark")
    def benchmark(self, doubt: LabelDoubt) -> str:
        return str(doubt.question.benchmark)

    @admin.display(description="Open reports")
    def reports(self, doubt: Any) -> int:
        return int(doubt.reports)

    @admin.display(boolean=True, description="Correction waits")
    def waits(self, doubt: Any) -> bool:
        return bool(doubt.corrections)

    def get_urls(self) -> list[URLPattern]:
        route = "question/<int:question_id>/"
        return [
            self.step(f"{route}dismiss/", self.dismiss_view, "dismiss"),
            *self.decision_urls("correction/"),
            *super().get_urls(),
        ]

    # --- one question -----------------------------------------------------------------------------

    def title_of(self, subject: Question) -> str:
        return f"Label of question {subject}"

    def given(self, subject: Question, fields: Mapping[str, str]) -> Mapping[str, Collection[str]]:
        live = live_reference(subject)
        return {
            "text": [current_label(subject)],
            "reference": [plain_text(live.text) if live else ""],
        }

    def show(
        self,
        request: HttpRequest,
        subject: Question,
        form: Any = None,
        *,
        status: int = 200,
        denied: str = "",
    ) -> HttpResponse:
        """`denied`: what the reference says against the label that is being proposed."""
        page = doubt_page(question=subject, user=user_of(request))
        kept = self.kept_text(request, subject)
        fields = kept.fields if kept else {}
        typed = request.POST.dict() if request.method == "POST" else fields
        asked = {
            "text": page["label"],
            "reference": page["reference"],
            **typed,
            "before": page["label"],
            "base": page["reference_version"],
        }
        found = {type(form): form} if form is not None and form.errors else {}
        own = self.own_words(subject, fields)
        stray = [(CALLED[name], own[name]) for name in own if name not in page["takes"]]
        return self.render_form(
            request,
            "question",
            subject,
            status=status,
            page=page,
            label_form=found.get(LabelForm, LabelForm(initial=asked)),
            answer_form=found.get(AnswerForm, AnswerForm(initial=asked)),
            comment_form=found.get(CommentForm, CommentForm(initial=asked)),
            kept=kept if stray or request.method == "GET" else None,
            stray=stray,
            denied=denied,
        )

    def propose(self, request: HttpRequest, subject: Question) -> HttpResponse:
        self.require(request.user.has_perm("benchmarks.add_labelcorrection"))
        form = LabelForm(request.POST)

        def step() -> str:
            data = form.cleaned_data
            made = propose_label(
                question=subject,
                label=data["text"],
                reference=data["reference"],
                reason=data["reason"],
                author=user_of(request),
                before=data["before"],
                base=number(data["base"]),
                in_spite=request.POST.get("in_spite", ""),
            )
            spite = (
                f" Despite: {contradiction}" if (contradiction := contradiction_in(made)) else ""
            )
            self.log_addition(request, made, f"Proposed the label “{made.label}”.{spite}")
            return (
                f"The label of {subject} is waiting for someone else to confirm it. Nothing "
                f"changes until then."
            )

        return self.take_step(request, subject, step, form=form)

    def refuse(
        self, request: HttpRequest, subject: Question, error: ProposalError, form: Any
    ) -> HttpResponse:
        denied = str(error) if isinstance(error, ContradictionError) else ""
        if not denied:
            messages.error(request, str(error))
        return self.show(request, subject, form, status=409, denied=denied)

    def dismiss_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.may_review(request))
        question = self.subject_of(request, question_id=question_id)
        form = AnswerForm(request.POST)

        def step() -> str:
            answer = form.cleaned_data["answer"]
            count = dismiss_doubt(question=question, by=user_of(request), answer=answer)
            self.log_change(request, question, f"The label is right: {answer}")
            have = "report has" if count == 1 else "reports have"
            who = f" {count} {have} your answer." if count else ""
            return f"The label of {question} stays as it is.{who}"

        return self.take_step(request, question, step, form=form)

    # --- a correction of it -----------------------------------------------------------------------

    def may_send_back(self, request: HttpRequest, proposal: LabelCorrection) -> bool:
        """Also its author, who takes it back."""
        return self.may_review(request) or proposal.author_id == user_of(request).pk
