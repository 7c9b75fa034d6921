"""Doubted labels in the admin: a queue of questions that readers report or boards suspect, and a
page of each, where one person corrects its label and another confirms that."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html

from benchmarks.admin import user_of
from benchmarks.forms.typed_text import PlainTextField, TypedTextField, plain_text
from benchmarks.forms.unsaved import (
    answer_to_typed,
    discard_text,
    keep_posted,
    note_sent,
    ticket_for,
    unsaved_text,
)
from benchmarks.models import LabelCorrection, LabelDoubt, Question
from benchmarks.services.label_corrections import (
    ContradictionError,
    CorrectionError,
    contradiction_in,
    propose_label,
    send_label_back,
)
from benchmarks.services.label_doubts import DoubtError, dismiss_doubt
from benchmarks.services.question_reports import MOST_CHARACTERS
from benchmarks.wake import wake
from judging.desk.description_form import FORM, number
from judging.desk.doubt_page import DoubtPage, doubt_page, in_order
from judging.desk.label_corrections import confirm_and_read_again
from judging.desk.reference_admin import RoomAdmin

PAGE = "admin:benchmarks_labeldoubt_question"
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
REFUSALS = (CorrectionError, DoubtError)


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
        help_text="Everybody reads it once the correction is confirmed.",
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
        help_text="Whoever reported the question reads it.",
        widget=area(2),
        error_messages={"required": "Say why the label is right."},
    )


class CommentForm(forms.Form):
    use_required_attribute = False
    comment = TypedTextField(
        limit=MOST_CHARACTERS,
        what="A comment",
        label="Why it goes back",
        widget=area(2),
        error_messages={"required": "Say why: a correction is sent back with a comment."},
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


class LabelDoubtAdmin(RoomAdmin):
    list_display = ["label_of", "benchmark", "reports", "waits", "suspicion", "opened", "state"]
    list_filter = [OpenFilter, "question__benchmark"]
    list_select_related = ["question__benchmark"]
    search_fields = ["question__public_id"]
    list_display_links = None
    list_per_page = 50
    show_full_result_count = False

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
        url = reverse(PAGE, args=[doubt.question_id])
        return format_html('<a href="{}">{}</a>', url, doubt.question)

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
        page, step = self.page, self.step
        return [
            page("question/<int:question_id>/", self.question_view, "question"),
            step("question/<int:question_id>/typed/", self.typed_view, "typed"),
            step("question/<int:question_id>/discard/", self.discard_view, "discard"),
            step("question/<int:question_id>/dismiss/", self.dismiss_view, "dismiss"),
            step("question/<int:question_id>/confirm/", self.confirm_view, "confirm"),
            step("question/<int:question_id>/send-back/", self.send_back_view, "send_back"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(self.has_view_permission(request))
        found = get_object_or_404(LabelDoubt, pk=number(object_id) or 0)
        return redirect(PAGE, found.question_id)

    # --- one question -----------------------------------------------------------------------------

    def question_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        """A POST proposes another label."""
        self.require(self.has_view_permission(request))
        question = question_or_404(question_id)
        if request.method != "POST":
            return self.show(request, question)
        self.require(request.user.has_perm("benchmarks.add_labelcorrection"))
        return self.take_step(request, question, LabelForm(request.POST), self.propose)

    def propose(self, request: HttpRequest, question: Question, data: dict[str, str]) -> str:
        made = propose_label(
            question=question,
            label=data["text"],
            reference=data["reference"],
            reason=data["reason"],
            author=user_of(request),
            before=data["before"],
            base=number(data["base"]),
            in_spite=request.POST.get("in_spite", ""),
        )
        spite = f" In spite of: {said}" if (said := contradiction_in(made)) else ""
        self.log_addition(request, made, f"Proposed the label “{made.label}”.{spite}")
        return f"The label of {question} waits for somebody else. Nothing has changed until then."

    def dismiss_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(may_decide(request))
        question = question_or_404(question_id)
        return self.take_step(request, question, AnswerForm(request.POST), self.dismiss)

    def dismiss(self, request: HttpRequest, question: Question, data: dict[str, str]) -> str:
        told = dismiss_doubt(question=question, by=user_of(request), answer=data["answer"])
        self.log_change(request, question, f"The label is right: {data['answer']}")
        who = f" {told} report{' has' if told == 1 else 's have'} your answer." if told else ""
        return f"The label of {question} stays as it is.{who}"

    def confirm_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(may_decide(request))
        question = question_or_404(question_id)
        return self.take_step(request, question, forms.Form(request.POST), self.confirm)

    def confirm(self, request: HttpRequest, question: Question, data: dict[str, str]) -> str:
        correction = named_correction(request, question)
        count = confirm_and_read_again(correction=correction, reviewer=user_of(request))
        self.log_change(request, correction, f"Confirmed the label “{correction.label}”.")
        wake()
        return (
            f"The label of {question} is “{correction.label}” from now on. Rules read"
            f" {count:,} answers again; boards show a new edition once all is scored."
        )

    def send_back_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        """Also for its author, who takes it back."""
        question = question_or_404(question_id)
        correction = question.label_corrections.filter(pk=correction_key(request)).first()
        mine = correction is not None and correction.author_id == request.user.pk
        self.require(may_decide(request) or mine)
        return self.take_step(request, question, CommentForm(request.POST), self.send_back)

    def send_back(self, request: HttpRequest, question: Question, data: dict[str, str]) -> str:
        correction = named_correction(request, question)
        send_label_back(correction=correction, reviewer=user_of(request), comment=data["comment"])
        self.log_change(request, correction, f"Sent back: {data['comment']}")
        return f"The correction of {question} is sent back with your comment."

    def typed_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        return answer_to_typed(request, form_path(question_id))

    def discard_view(self, request: HttpRequest, question_id: int) -> HttpResponse:
        self.require(self.has_view_permission(request))
        discard_text(user=user_of(request), path=form_path(question_id))
        messages.success(request, "What was typed and not sent is thrown away.")
        return redirect(PAGE, question_id)

    # --- what they share --------------------------------------------------------------------------

    def take_step(
        self,
        request: HttpRequest,
        question: Question,
        form: forms.Form,
        step: Callable[[HttpRequest, Question, dict[str, str]], str],
    ) -> HttpResponse:
        """Nothing typed is lost: after a refusal it stands in the form again."""
        if not form.is_valid():
            keep_posted(request)
            return self.show(request, question, form, status=422)
        try:
            done = step(request, question, form.cleaned_data)
        except ContradictionError as error:
            keep_posted(request)
            return self.show(request, question, form, status=409, denied=str(error))
        except REFUSALS as error:
            keep_posted(request)
            messages.error(request, str(error))
            return self.show(request, question, form, status=409)
        discard_text(user=user_of(request), path=form_path(question.pk), names=request.POST.keys())
        note_sent(request, form_path(question.pk))
        messages.success(request, done)
        return redirect(PAGE, question.pk)

    def show(
        self,
        request: HttpRequest,
        question: Question,
        form: forms.Form | None = None,
        *,
        status: int = 200,
        denied: str = "",
    ) -> HttpResponse:
        """`denied`: what the reference says against the label that is being proposed."""
        user, where = user_of(request), form_path(question.pk)
        title = f"Label of question {question}"
        page = doubt_page(question=question, user=user)
        kept = unsaved_text(user=user, path=where)
        typed = request.POST.dict() if request.method == "POST" else kept.fields if kept else {}
        asked = {
            "text": page.label,
            "reference": page.reference,
            **typed,
            "before": page.label,
            "base": page.reference_version,
        }
        found = {type(form): form} if form is not None and form.errors else {}
        own = words_of(kept.fields if kept else {}, page)
        return self.render(
            request,
            "question",
            title,
            status=status,
            page=page,
            label_form=found.get(LabelForm, LabelForm(initial=asked)),
            answer_form=found.get(AnswerForm, AnswerForm(initial=asked)),
            comment_form=found.get(CommentForm, CommentForm(initial=asked)),
            ticket=ticket_for(user=user, path=where, title=title),
            kept=kept,
            is_in_form=request.method == "GET" and any(name in page.takes for name in own),
            stray=[(name, CALLED[name], own[name]) for name in own if name not in page.takes],
            denied=denied,
        )


def words_of(fields: Mapping[str, str], page: DoubtPage) -> dict[str, str]:
    """What is somebody's own of what was kept: the form came with a label and a reference."""
    given = {"text": page.label, "reference": page.reference}
    return {
        name: fields[name]
        for name in CALLED
        if (text := plain_text(fields.get(name, ""))) and text != plain_text(given.get(name, ""))
    }


def may_decide(request: HttpRequest) -> bool:
    return request.user.has_perm("benchmarks.confirm_labelcorrection")


def correction_key(request: HttpRequest) -> int:
    return number(request.POST.get("correction")) or 0


def named_correction(request: HttpRequest, question: Question) -> LabelCorrection:
    """The one that the page showed, not whichever waits by now. Raises CorrectionError."""
    found = question.label_corrections.filter(pk=correction_key(request)).first()
    if found is None:
        raise CorrectionError("There is no such correction of this label. Look at the page again.")
    return found


def form_path(question_id: int) -> str:
    return reverse(PAGE, args=[question_id])


def question_or_404(pk: int) -> Question:
    found = Question.objects.select_related("benchmark", "figure", "subtask__ability")
    return get_object_or_404(found, pk=pk)
