"""Steps of staff that hurt when they are a slip of the hand: each asks on a page of its own, says
in counts what follows, wants a reason, and is written into the log.

A step is offered in the list, for several rows at once, and on the page of each row. What it would
not change is not offered and not done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from benchmarks.common.staff_log import LoggedAdmin, record_action
from benchmarks.submissions.forms import ReasonField
from benchmarks.wake import wake

AT_ONCE = 100
"""Rows of one step: as many as a person still reads on the page that asks whether it is meant."""

Rows = Sequence[Any]


class StepRefusedError(Exception):
    """Nothing was changed; the text is a sentence for whoever pressed."""


def nothing_refused(rows: Rows) -> Mapping[Any, str]:
    return {}


class ReasonForm(forms.Form):
    """What is typed before a step is taken of `rows`."""

    reason = ReasonField()

    def __init__(self, *args: Any, rows: Rows, help_text: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.rows = rows
        self.fields["reason"].help_text = help_text


@dataclass(frozen=True, slots=True)
class Step:
    """title: an imperative, as its button has it; done: the same when it is done.

    permission: as `has_perm` takes it. fits: those of the rows that it can be done to. follows: by
    the rows chosen, sentences with counts of what will be otherwise. way_back: a sentence. state:
    of a row, what the step changes, by field, for the log. change: does it, and says whether there
    was anything to do; raises StepRefusedError. refused: of rows that fit, by primary key, the
    sentence why it is not done to them all the same, where no query can tell that.

    form: one that asks for more than the reason makes a step of one row at a time, which no list
    offers; `change` gets its other fields by their names. leads_to: the address where one goes on
    with a row; empty for the list.
    """

    slug: str
    title: str
    done: str
    permission: str
    explained: str
    way_back: str
    fits: Callable[[Any], "QuerySet[Any]"]
    follows: Callable[[Rows], Sequence[str]]
    state: Callable[[Any], dict[str, Any]]
    change: Callable[..., bool]
    asks_reason: str = "Kept in the log and the history of each"
    refused: Callable[[Rows], Mapping[Any, str]] = nothing_refused
    form: type[ReasonForm] = ReasonForm
    leads_to: Callable[[Any], str] = lambda row: ""

    @property
    def is_of_one(self) -> bool:
        return self.form is not ReasonForm


class StepsAdmin(LoggedAdmin):
    """An admin with `steps`. Everything else that changes rows is an ordinary form or none."""

    steps: Sequence[Step] = ()

    # --- where steps are offered ------------------------------------------------------------------

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        found = super().get_actions(request)
        offered = {
            step.slug: (take_chosen(step), step.slug, step.title)
            for step in self.steps
            if request.user.has_perm(step.permission) and not step.is_of_one
        }
        return {**found, **offered}

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_step"
        one = path(
            "<path:object_id>/step/<slug:step>/",
            self.admin_site.admin_view(self.step_view),
            name=name,
        )
        return [one, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        shown = {**(extra_context or {}), "steps": self.steps_of(request, object_id)}
        return super().change_view(request, object_id, form_url, shown)

    def steps_of(self, request: HttpRequest, object_id: str) -> list[tuple[str, str]]:
        """Title and address of those that can be done to this row."""
        row = self.get_object(request, object_id)
        if row is None or not self.steps:
            return []
        of_row = self.get_queryset(request).filter(pk=row.pk)
        return [
            (step.title, self.step_url(row, step))
            for step in self.steps
            if request.user.has_perm(step.permission) and can_be_done(step, of_row)
        ]

    def step_url(self, row: models.Model, step: Step) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_step"
        return reverse(name, args=[row.pk, step.slug])

    def list_url(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    # --- asking, and doing ------------------------------------------------------------------------

    def step_view(self, request: HttpRequest, object_id: str, step: str) -> HttpResponse:
        """One row, at an address of its own."""
        found = next((one for one in self.steps if one.slug == step), None)
        if found is None:
            raise Http404("There is no such step.")
        if not (self.has_view_permission(request) and request.user.has_perm(found.permission)):
            raise PermissionDenied
        row = self.get_object(request, object_id)
        rows = self.get_queryset(request)
        chosen = rows.filter(pk=row.pk) if row else rows.none()  # it may have gone meanwhile
        here = self.step_url(row, found) if row else self.list_url()
        if (asked := self.take(request, chosen, found, post_to=here)) is not None:
            return asked
        further = found.leads_to(row) if row else ""
        return redirect(further) if further else self.to_list(request)

    def to_list(self, request: HttpRequest) -> HttpResponse:
        return self.response_post_save_change(request, None)

    def take(
        self, request: HttpRequest, chosen: "QuerySet[Any]", step: Step, *, post_to: str = ""
    ) -> HttpResponse | None:
        """Asks first; the second press, with a reason, does it. None where that is done, or there
        was nothing to do, and a message says so."""
        rows: Rows = list(step.fits(chosen)[: AT_ONCE + 1])
        if not rows:
            done = f"Nothing to {step.title.lower()} was chosen."
            if step.is_of_one:
                done = f"{step.title}: it was done already, or cannot be done by now."
            self.message_user(request, f"{done} Nothing changed.", messages.WARNING)
            return None
        if len(rows) > AT_ONCE:
            most = f"Choose at most {AT_ONCE} at once. Nothing changed."
            self.message_user(request, most, messages.ERROR)
            return None
        rows = self.not_refused(request, rows, step)
        if not rows:
            return None
        is_sent = request.method == "POST" and "confirmed" in request.POST
        typed = request.POST if is_sent else None
        form = step.form(typed, rows=rows, help_text=step.asks_reason)
        if not form.is_valid():
            return self.ask(request, rows, form, step, post_to)
        self.do(request, rows, step, form.cleaned_data)
        return None

    def not_refused(self, request: HttpRequest, rows: Rows, step: Step) -> Rows:
        """Of the others a message says why."""
        refused = step.refused(rows)
        for row in rows:
            if row.pk in refused:
                self.message_user(request, f"{row}: {refused[row.pk]}", messages.ERROR)
        return [row for row in rows if row.pk not in refused]

    def ask(
        self, request: HttpRequest, rows: Rows, form: ReasonForm, step: Step, post_to: str
    ) -> HttpResponse:
        count = f"{len(rows)} {self.noun(len(rows))}"
        context = {
            **self.admin_site.each_context(request),
            "title": step.title if step.is_of_one else f"{step.title} {count}",
            "opts": self.opts,
            "step": step,
            "follows": step.follows(rows),
            "rows": [(row, self.row_url(row)) for row in rows],
            "form": form,
            "post_to": post_to or self.list_url(),
            "keys": [] if post_to else [row.pk for row in rows],
            "list_url": self.list_url(),
        }
        status = 422 if form.is_bound else 200
        return TemplateResponse(request, "admin/step.html", context, status=status)

    def row_url(self, row: models.Model) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
        return reverse(name, args=[row.pk])

    def noun(self, count: int) -> str:
        names = self.opts.verbose_name if count == 1 else self.opts.verbose_name_plural
        return str(names)

    def do(self, request: HttpRequest, rows: Rows, step: Step, typed: Mapping[str, Any]) -> None:
        """Row by row: what is refused of one keeps none of the others from it."""
        notes, done = "\n".join(step.follows(rows)), 0
        for row in rows:
            try:
                done += self.do_one(request, row, step, typed, notes)
            except StepRefusedError as error:
                self.message_user(request, f"{row}: {error}", messages.ERROR)
        wake()
        level = messages.SUCCESS if done else messages.WARNING
        self.message_user(request, f"{step.done}: {done} {self.noun(done)}.", level)

    @transaction.atomic
    def do_one(
        self,
        request: HttpRequest,
        row: models.Model,
        step: Step,
        typed: Mapping[str, Any],
        notes: str,
    ) -> bool:
        assert isinstance(request.user, User)
        before, reason = step.state(row), " ".join(typed["reason"].split())
        more = {name: value for name, value in typed.items() if name != "reason"}
        if not step.change(row, reason, request.user, **more):
            return False
        now = type(row)._default_manager.filter(pk=row.pk).first()
        after = step.state(now) if now else {}
        sentence = f"{step.done}: {reason}"
        LogEntry.objects.log_actions(
            request.user.pk, [row], CHANGE, change_message=sentence, single_object=True
        )
        record_action(
            by=request.user,
            on=row,
            name=self.log_name(row),
            what=step.slug,
            sentence=sentence,
            told=notes,
            before=before,
            after=after,
            reason=reason,
            **self.log_more(row),
        )
        return True

    def log_more(self, row: Any) -> dict[str, Any]:
        """Arguments of `record_action` beside what every step tells it."""
        return {}


def can_be_done(step: Step, of_row: "QuerySet[Any]") -> bool:
    rows = list(step.fits(of_row))
    return bool(rows) and not step.refused(rows)


def take_chosen(
    step: Step,
) -> Callable[[StepsAdmin, HttpRequest, "QuerySet[Any]"], HttpResponse | None]:
    def of_list(
        model_admin: StepsAdmin, request: HttpRequest, queryset: "QuerySet[Any]"
    ) -> HttpResponse | None:
        return model_admin.take(request, queryset, step)

    return of_list


def counted(count: int, one: str, many: str = "") -> str:
    """The count with its noun: "1,129 entries", "1 entry"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
