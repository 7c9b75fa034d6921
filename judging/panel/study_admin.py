"""Studies in the admin: a wizard that draws one, its page, and who rates in it."""

import secrets
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.common.invitations import mail_link
from benchmarks.forms.typed_text import TypedTextField
from benchmarks.models import Release
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.addresses import person_address
from benchmarks.wake import wake
from judging.coordination.clock import database_now
from judging.panel.models import Study, StudyRater
from judging.panel.studies.as_given import votes_csv, votes_jsonl
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import LATE_TIME, close_study, open_study, withdraw_study
from judging.panel.studies.plans import (
    MOST_ENTRIES,
    MOST_ITEMS,
    SECONDS_PER_VOTE,
    Plan,
    create_study,
    meets_checks,
    plan_study,
    questionnaires,
    views_of,
)
from judging.panel.studies.raters import (
    MOST_RATERS,
    Invitee,
    invite_account,
    invite_people,
    reinstate_rater,
    remove_rater,
    renew_link,
    revoke_link,
)
from judging.panel.studies.reports import study_progress
from judging.panel.study_models import (
    MAX_RATERS_PER_ITEM,
    NAME_LENGTH,
    NOTE_LENGTH,
    REASON_LENGTH,
)

RATERS = "raters"
ENTRIES_OFFERED = 100  # of a release, the newest that fit the search
MOST_LINES = 50  # as many as a study has raters
LARGEST_SEED = 2**31 - 1
PAGE = "admin:panel_study_change"
MAIL = "studies/invitation_mail.txt"
USUAL_SIZE = 200  # what TouchStone's authors drew
CONSENT = """\
You look at answers of AI models and say how good they are. Under a number, we store your votes, \
when you gave them, how long each took, and in how many browsers you rated. Only those who run \
the study know whose number it is.

The results are published without names: figures of all raters together, and how far each numbered \
rater agrees with the others.

Taking part is up to you. You may stop at any time, and withdraw all your votes later from your \
link."""


def usual_seed() -> int:
    return secrets.randbelow(10**6)


class StudyForm(forms.Form):
    """What a study of one release is to be."""

    use_required_attribute = False
    title = forms.CharField(
        max_length=NAME_LENGTH,
        help_text="Raters see it, and it heads the public report: name no model",
    )
    questionnaire = forms.ChoiceField(label="What is asked", widget=forms.RadioSelect)
    entries = forms.MultipleChoiceField(
        label="Whose answers",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one entry."},
    )
    size = forms.IntegerField(
        label="Questions",
        min_value=1,
        help_text="Drawn so that every ability has the same share as in the release",
    )
    raters_per_item = forms.IntegerField(
        label="Raters of each answer",
        min_value=1,
        max_value=MAX_RATERS_PER_ITEM,
        initial=3,
        help_text="A fourth rater decides if all three disagree",
    )
    check_every = forms.IntegerField(
        label="Attention checks: one item in",
        min_value=0,
        max_value=1000,
        initial=20,
        help_text="Items with an obvious answer: reported for each rater, never counted. 0: none",
    )
    least_passed = forms.IntegerField(
        label="Checks to pass, in percent",
        min_value=0,
        max_value=100,
        initial=75,
        help_text="Of those a rater got; raters who pass fewer fail",
    )
    failing = forms.ChoiceField(
        label="Raters who fail their checks",
        choices=Study.Failing.choices,
        initial=Study.Failing.MARKED,
        widget=forms.RadioSelect,
        help_text="Raters see it; the report shows both results, with and without these votes",
    )
    quota = forms.IntegerField(
        label="Answers for one rater, at most",
        min_value=1,
        max_value=MOST_ITEMS,
        required=False,
        help_text="Empty: all of them",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=usual_seed,
        help_text="The same seed gives the same questions in the same order",
    )
    note = TypedTextField(
        limit=NOTE_LENGTH,
        what="A note",
        label="Additional instructions",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Shown below the benchmark's instructions for raters",
    )
    consent = TypedTextField(
        limit=NOTE_LENGTH,
        what="A consent text",
        label="What raters agree to before the first item",
        required=False,
        initial=CONSENT,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Stored with the version that each rater agreed to. Empty: no consent is asked",
    )

    def __init__(self, release: Release, q: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        asked = questionnaires(release)
        kind = self.fields["questionnaire"]
        entries = self.fields["entries"]
        assert isinstance(kind, forms.ChoiceField)
        assert isinstance(entries, forms.MultipleChoiceField)
        kind.choices = [
            (one.key, f"{one.title}: {one.questions:,} questions of the release") for one in asked
        ]
        kind.initial = asked[0].key if asked else None
        self.askable = {one.key: one.questions for one in asked}
        most = max(self.askable.values(), default=1)
        size = self.fields["size"]
        size.initial = min(USUAL_SIZE, self.askable.get(kind.initial, most))
        size.widget.attrs["max"] = most
        self.offered = {str(one.pk): one for one in offered_entries(release, q, self.chosen())}
        entries.choices = [(pk, entry_line(one, release)) for pk, one in self.offered.items()]

    def chosen(self) -> list[str]:
        """Entries ticked before another search: they stay on the page."""
        found = self.data.getlist("entries") if self.is_bound else []  # type: ignore[attr-defined]
        return [one for one in found[:MOST_ENTRIES] if is_uuid(one)]

    def clean_entries(self) -> list[Submission]:
        chosen = self.cleaned_data["entries"]
        if len(chosen) > MOST_ENTRIES:
            raise ValidationError(f"A study has at most {MOST_ENTRIES} entries.")
        return [self.offered[pk] for pk in chosen]

    def clean_title(self) -> str:
        """On one line, as the subject of a mail has to be."""
        return " ".join(self.cleaned_data["title"].split())

    def clean_check_every(self) -> int:
        every: int = self.cleaned_data["check_every"]
        if every == 1:
            raise ValidationError("Not every item can be a check. 0: none, 2: every other item.")
        return every

    def clean_size(self) -> int:
        """Needs what is asked, which stands before it on the form."""
        size: int = self.cleaned_data["size"]
        most = self.askable.get(self.cleaned_data.get("questionnaire", ""), size)
        if size > most:
            questions = "question" if most == 1 else "questions"
            raise ValidationError(f"The release has {most:,} {questions} of this kind.")
        return size


def is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def offered_entries(release: Release, q: str, chosen: list[str]) -> list[Submission]:
    """Those chosen before, and the newest whose model's name has `q`."""
    known = (
        Submission.objects.confirmed()
        .not_withdrawn()
        .filter(release=release)
        .select_related("model", "owner")
    )
    newest = known.filter(model__name__icontains=q) if q else known
    before = list(known.filter(pk__in=chosen))
    others = newest.exclude(pk__in=chosen).order_by("-created", "id")[:ENTRIES_OFFERED]
    return [*before, *others]


def entry_line(entry: Submission, release: Release) -> str:
    state = "judged" if entry.finished else "not judged yet"
    answers = f"all {release.question_count:,} questions answered"
    seen = "" if entry.visibility == "public" else ", private"
    return f"{entry.model.name}, {entry.created:%Y-%m-%d}: {answers}, {state}{seen}"


class ReasonForm(forms.Form):
    use_required_attribute = False
    reason = TypedTextField(
        limit=REASON_LENGTH,
        what="A reason",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the study",
    )


class InviteForm(forms.Form):
    """People by name or address, and accounts of the group of raters."""

    use_required_attribute = False
    people = forms.CharField(
        required=False,
        max_length=MOST_LINES * 300,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One per line: a name, an e-mail address, or both. Each gets a secret link, "
        "which is emailed to an address and shown once on the next page.",
    )
    accounts = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Members of the group of raters",
        help_text="They find the study at /rate/ once they are signed in.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        accounts = self.fields["accounts"]
        assert isinstance(accounts, forms.ModelMultipleChoiceField)
        members = User.objects.filter(groups__name=RATERS, is_active=True)
        accounts.queryset = members.order_by("username")
        if not members:
            accounts.widget = forms.MultipleHiddenInput()

    def clean_people(self) -> list[Invitee]:
        lines = [line.strip() for line in self.cleaned_data["people"].splitlines() if line.strip()]
        if len(lines) > MOST_LINES:
            raise ValidationError(f"At most {MOST_LINES} people at once.")
        return [invitee_of(line) for line in lines]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("people") and not cleaned.get("accounts"):
            raise ValidationError("Name somebody.")
        return cleaned


def invitee_of(line: str) -> Invitee:
    """ "Bo Li bo@example.org", "bo@example.org" or "Bo Li"."""
    words = line.replace("<", " ").replace(">", " ").split()
    found = next((word for word in words if "@" in word), "")
    email = found.strip(",;")
    name = " ".join(word for word in words if word != found).strip(" ,;")
    if email:
        try:
            person_address(email)
        except ValidationError as error:
            why = f"“{email[:100]}” is no e-mail address. {error.message}"
            raise ValidationError(why) from error
    if len(name) > NAME_LENGTH:
        raise ValidationError(f"A name has at most {NAME_LENGTH} characters: “{name[:40]}…”")
    return Invitee(name or email, email)


MOVES = {
    "open": "Raters can vote; questions, entries and instructions are now fixed.",
    "close": "No more items are given out. The votes become a file of ratings: from then on they "
    "count wherever ratings count and can be compared with the judge. A closed study cannot "
    "be reopened.",
    "withdraw": "Voting ends, and nothing in the study counts, including the ratings of a closed "
    "one. Everything stays readable. A withdrawn study cannot be restored.",
}


class StudyAdmin(ReadOnlyAdmin):
    list_display = ["title", "release", "state", "size", "raters_per_item", "created", "closed"]
    list_select_related = ["release"]
    list_filter = ["state"]
    search_fields = ["title"]

    def get_urls(self) -> list[URLPattern]:
        def page(pattern: str, view: Any, name: str) -> URLPattern:
            wrapped = self.admin_site.admin_view(view)
            made: URLPattern = path(
                f"<uuid:study_id>/{pattern}", wrapped, name=f"panel_study_{name}"
            )
            return made

        return [
            page("invite/", self.invite_view, "invite"),
            page("raters/<int:rater_id>/", self.rater_view, "rater"),
            page("move/<slug:move>/", self.move_view, "move"),
            page("votes.<slug:kind>", self.votes_view, "votes"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("panel.add_study")

    def may_change(self, request: HttpRequest) -> bool:
        return request.user.has_perm("panel.change_study")

    # --- the wizard -----------------------------------------------------------------------------

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """A release first, then what is asked of it; a preview stores nothing."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        slug = asked_for(request, "release")[:50]
        if not slug:
            return self.render(request, "release", "Draw a study", releases=askable_releases())
        release = get_object_or_404(
            Release.objects.published().select_related("benchmark"), slug=slug
        )
        if protocol_of(release).panel is None:
            raise Http404("People are not asked about answers of this benchmark.")
        q = asked_for(request, "q")[:100]
        is_sent = request.method == "POST"
        form = StudyForm(release, q, request.POST if is_sent else None)
        plan: Plan | None = None
        if is_sent and form.is_valid():
            try:
                if "create" in request.POST:
                    return self.created(request, release, form)
                plan = planned(release, form)
            except StudyRefusedError as error:
                form.add_error(None, str(error))
        return self.render(
            request,
            "add",
            "Draw a study",
            status=422 if form.errors else 200,
            form=form,
            release=release,
            q=q,
            plan=plan,
            minutes=plan.hours * 60 if plan else 0,
            most_raters=MOST_RATERS,
            seconds=SECONDS_PER_VOTE,
            shows_hidden=shows_references(release) and not release.references_are_public,
        )

    def created(self, request: HttpRequest, release: Release, form: StudyForm) -> HttpResponse:
        """Raises StudyRefusedError."""
        cleaned = form.cleaned_data
        study = create_study(
            release=release,
            submissions=cleaned["entries"],
            by=request.user,  # type: ignore[arg-type]  # nobody gets here who is not signed in
            **{name: cleaned[name] for name in (*KINDS, *TEXTS)},
        )
        self.log_addition(
            request, study, f"Drawn: {study.size:,} questions with seed {study.seed}."
        )
        messages.success(request, "The study is drawn. Invite its raters, then open it.")
        return redirect(PAGE, study.pk)

    # --- its page -------------------------------------------------------------------------------

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        study: Study | None = self.get_object(request, object_id)
        if study is None:
            raise Http404("There is no such study.")
        if not self.has_view_permission(request, study):
            raise PermissionDenied
        return self.shown(request, study)

    def shown(
        self,
        request: HttpRequest,
        study: Study,
        *,
        links: list[tuple[str, str]] | None = None,
        invite: InviteForm | None = None,
        status: int = 200,
    ) -> HttpResponse:
        """`links`: names and new links, shown this once."""
        now = database_now()
        may_change = self.may_change(request)
        takes_raters = study.state in (Study.State.DRAFT, Study.State.OPEN)
        if may_change and takes_raters and invite is None:
            invite = InviteForm()
        return self.render(
            request,
            "page",
            study.title,
            status=status,
            study=study,
            entries=study.submissions.select_related("model"),
            asked=next(
                (one for one in questionnaires(study.release) if one.key == study.questionnaire),
                None,
            ),
            progress=study_progress(study),
            meets_checks=meets_checks(study),
            files=study.files.all(),
            has_report=study.files.not_withdrawn().exists(),
            links=links or [],
            invite=invite if takes_raters else None,
            moves=moves_of(study) if may_change else (),
            may_change=may_change,
            report_url=reverse("study", args=[study.pk]),
            now=now,
            is_over=not study.hands_out(now),
        )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Study]":
        return Study.objects.select_related("release__benchmark", "created_by")

    def study_of(self, request: HttpRequest, study_id: UUID) -> Study:
        if not self.may_change(request):
            raise PermissionDenied
        return get_object_or_404(self.get_queryset(request), pk=study_id)

    def move_view(self, request: HttpRequest, study_id: UUID, move: str) -> HttpResponse:
        """Asks before a study is opened, closed or withdrawn, and does it."""
        study = self.study_of(request, study_id)
        if move not in MOVES:
            raise Http404("There is no such step.")
        if move not in moves_of(study):
            messages.info(request, f"This study is {study.state}: that is no longer possible.")
            return redirect(PAGE, study.pk)
        needs_reason = move == "withdraw"
        form = ReasonForm(request.POST or None) if needs_reason else None
        if request.method == "POST" and (form is None or form.is_valid()):
            try:
                message = self.make_move(request, study, move, form)
            except StudyRefusedError as error:
                messages.error(request, str(error))
            else:
                self.log_change(request, study, message)
                messages.success(request, message)
                wake()
            return redirect(PAGE, study.pk)
        return self.render(
            request,
            "move",
            f"{move.capitalize()} {study}",
            status=422 if form and form.errors else 200,
            study=study,
            move=move,
            about=MOVES[move],
            release_is_closed=study.release.state in Release.CLOSED,
            late_days=LATE_TIME.days,
            form=form,
            progress=study_progress(study),
        )

    def votes_view(self, request: HttpRequest, study_id: UUID, kind: str) -> StreamingHttpResponse:
        """Every vote as it was given, for those who run the study."""
        study = self.study_of(request, study_id)
        if kind not in ("csv", "jsonl"):
            raise Http404("There is no such file.")
        lines = votes_csv(study) if kind == "csv" else votes_jsonl(study)
        return StreamingHttpResponse(
            lines,
            content_type="text/csv; charset=utf-8" if kind == "csv" else "application/x-ndjson",
            headers={
                "Content-Disposition": f'attachment; filename="votes-{study.code}.{kind}"',
                "Cache-Control": "no-store",
            },
        )

    def make_move(
        self, request: HttpRequest, study: Study, move: str, form: ReasonForm | None
    ) -> str:
        """What was done, as a sentence. Raises StudyRefusedError."""
        if move == "open":
            expires = open_study(study=study).expires
            return f"Opened; links of its raters end on {expires:%Y-%m-%d}."
        if move == "close":
            files = close_study(study=study, by=request.user)  # type: ignore[arg-type]
            count = sum(file.rating_count for file in files)
            days = LATE_TIME.days
            late = f"Votes on items that raters already have are accepted for {days} more days."
            return f"Closed: {count:,} ratings. {late}"
        reason = form.cleaned_data["reason"] if form else ""
        withdraw_study(study=study, reason=reason)
        return f"Withdrawn: {reason}"

    # --- raters ---------------------------------------------------------------------------------

    def invite_view(self, request: HttpRequest, study_id: UUID) -> HttpResponse:
        study = self.study_of(request, study_id)
        if request.method != "POST":
            return redirect(PAGE, study.pk)
        form = InviteForm(request.POST)
        if not form.is_valid():
            return self.shown(request, study, invite=form, status=422)
        try:
            with transaction.atomic():
                links = self.invited(request, study, form)
        except StudyRefusedError as error:
            form.add_error(None, str(error))
            return self.shown(request, study, invite=form, status=422)
        return self.shown(request, study, links=links)

    def invited(
        self, request: HttpRequest, study: Study, form: InviteForm
    ) -> list[tuple[str, str]]:
        """Names and links of those who have one. Raises StudyRefusedError."""
        assert request.user.is_authenticated
        people, accounts = form.cleaned_data["people"], form.cleaned_data["accounts"]
        raters = invite_people(study=study, people=people, by=request.user)
        for user in accounts:
            invite_account(study=study, user=user, by=request.user)
        count = len(raters) + len(accounts)
        self.log_change(request, study, f"Invited {count} rater{'s' * (count != 1)}.")
        messages.success(request, f"Invited: {count}.")
        return [(rater.name, self.sent(request, study, rater)) for rater in raters]

    def sent(self, request: HttpRequest, study: Study, rater: StudyRater) -> str:
        """The link, which is mailed where there is an address: a worker sends it."""
        is_over = study.state != Study.State.DRAFT and not study.hands_out(database_now())
        if rater.email:
            subject = f"{'Your link' if is_over else 'Rate answers'}: {study.title}"
            mail_link(
                request, rater, to=rater.email, subject=subject, template=MAIL, is_over=is_over
            )
        return rater.link(request)

    def rater_view(self, request: HttpRequest, study_id: UUID, rater_id: int) -> HttpResponse:
        """A rater's link and standing; every change asks first, on this page."""
        study = self.study_of(request, study_id)
        rater = get_object_or_404(
            StudyRater.objects.select_related("study", "account"),
            study=study,
            pk=min(rater_id, LARGEST_SEED),
        )
        form = ReasonForm()
        do = request.POST.get("do", "")
        if request.method == "POST":
            form = ReasonForm(request.POST)
            if do != "remove" or form.is_valid():
                return self.rater_changed(request, study, rater, do, form)
        return self.render(
            request,
            "rater",
            f"{rater.alias.capitalize()} of {study}",
            status=422 if form.is_bound and form.errors else 200,
            study=study,
            rater=rater,
            form=form,
            may_move=study.state in (Study.State.DRAFT, Study.State.OPEN),
            # after the end as well: late votes are sent by a link, and votes withdrawn
            may_have_link=not rater.removed and not rater.account_id,
        )

    def rater_changed(
        self, request: HttpRequest, study: Study, rater: StudyRater, do: str, form: ReasonForm
    ) -> HttpResponse:
        links: list[tuple[str, str]] = []
        message = ""
        try:
            if do == "renew":
                url = self.sent(request, study, renew_link(rater=rater))
                links, message = [(rater.name, url)], f"New link for {rater.alias}."
            elif do == "revoke":
                revoke_link(rater=rater)
                message = f"The link of {rater.alias} no longer works."
            elif do == "remove":
                reason = form.cleaned_data["reason"]
                remove_rater(rater=rater, reason=reason)
                message = f"Removed {rater.alias}: {reason}"
            elif do == "reinstate":
                reinstate_rater(rater=rater)
                message = f"{rater.alias.capitalize()} counts again."
        except StudyRefusedError as error:
            messages.error(request, str(error))
        if message:
            self.log_change(request, study, message)
            messages.success(request, message)
        return self.shown(request, study, links=links) if links else redirect(PAGE, study.pk)


KINDS = ("questionnaire", "size", "seed", "raters_per_item", "check_every", "quota")
TEXTS = ("title", "note", "consent", "failing", "least_passed")


def asked_for(request: HttpRequest, name: str) -> str:
    """A parameter of the address as a database takes it: PostgreSQL refuses NUL."""
    return request.GET.get(name, "").replace("\0", "?")


def planned(release: Release, form: StudyForm) -> Plan:
    """Raises StudyRefusedError."""
    cleaned = form.cleaned_data
    kinds = {name: cleaned[name] for name in KINDS}
    return plan_study(release=release, entries=len(cleaned["entries"]), **kinds)


def askable_releases() -> list[Release]:
    """Published ones about whose answers people can be asked: a handful."""
    published = Release.objects.published().select_related("benchmark")
    return [release for release in published if protocol_of(release).panel is not None]


def shows_references(release: Release) -> bool:
    """Whether raters see references of some questions."""
    panel = protocol_of(release).panel
    if panel is None:
        return False
    sights = (panel.sight(view) for view, _, _ in views_of(release))
    return any(sight.compares or sight.shows_reference for sight in sights)


def moves_of(study: Study) -> tuple[str, ...]:
    """Only what would work."""
    return {
        Study.State.DRAFT.value: ("open", "withdraw"),
        Study.State.OPEN.value: ("close", "withdraw"),
        Study.State.CLOSED.value: ("withdraw",),
    }.get(study.state, ())
