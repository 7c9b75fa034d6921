"""Adding people in the admin: an address and groups make a link, by mail or to be copied once."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.common.groups import PROJECT_GROUPS
from benchmarks.common.invitations import InvitationRefusedError, mail_link
from benchmarks.submissions.naming.addresses import AddressField
from benchmarks.submissions.naming.public_names import public_name
from benchmarks.submissions.staff_steps import Step, StepsAdmin, counted
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.staff.invitations import invite_person

WITHOUT_MAIL = ("console", "dummy")
"""Last but one parts of Django's backends that reach nobody."""
WORK = {
    "annotators": "annotators: write descriptions and propose references, in the admin",
    "reviewers": "reviewers: also approve what others wrote, and answer reports, in the admin",
    "raters": "raters: say in studies what they think of answers; see nothing else",
    "moderators": "moderators: look after entries, runs and what waits for people, in the admin",
}


def has_mail() -> bool:
    """Whether mail of this site reaches anybody."""
    return settings.MAIL_BACKEND.split(".")[-2] not in WITHOUT_MAIL


class InvitationForm(forms.Form):
    email = AddressField(label="E-mail address", max_length=254)
    groups = forms.MultipleChoiceField(
        choices=[(name, WORK[name]) for name in PROJECT_GROUPS],
        widget=forms.CheckboxSelectMultiple,
        label="What they are here for",
    )


TAKE_BACK = Step(
    slug="take_back",
    title="Take back",
    done="Taken back",
    permission="leaderboard.change_personinvitation",
    explained="The link stops working.",
    way_back="Not possible: add the person again, which makes another link.",
    fits=lambda found: found.filter(ended__isnull=True),
    follows=lambda chosen: [
        f"{counted(len(chosen), 'link opens', 'links open')} nothing, and no address is kept here."
    ],
    state=lambda invitation: {"ended": str(invitation.ended or "")},
    change=lambda invitation, reason, by: PersonInvitation.objects.filter(pk=invitation.pk).end(),
)


class InvitationAdmin(StepsAdmin, ReadOnlyAdmin):
    list_display = ["created", "email", "wanted", "invited_by", "expires", "state"]
    list_select_related = ["invited_by", "accepted_by"]
    list_per_page = 50
    show_full_result_count = False
    fields = ["email", "wanted", "invited_by", "created", "expires", "state", "accepted_by"]
    readonly_fields = ["wanted", "state"]
    steps: Sequence[Step] = [TAKE_BACK]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leaderboard.add_personinvitation")

    @admin.display(description="Groups")
    def wanted(self, invitation: PersonInvitation) -> str:
        return ", ".join(invitation.groups)

    @admin.display(description="State")
    def state(self, invitation: PersonInvitation) -> str:
        if invitation.ended:
            return "accepted" if invitation.accepted_by_id else "taken back"
        return "open" if invitation.expires > timezone.now() else "expired: add the person again"

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The same address again ends the earlier link and sends another one."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            again = {"email": request.GET.get("email", ""), "groups": request.GET.getlist("groups")}
            return self.show(request, InvitationForm(initial=again))
        form = InvitationForm(request.POST)
        if not form.is_valid():
            return self.show(request, form, status=422)
        assert isinstance(request.user, User)
        try:
            with transaction.atomic():
                made = invite_person(
                    email=form.cleaned_data["email"],
                    groups=form.cleaned_data["groups"],
                    by=request.user,
                )
                if has_mail():
                    mail_link(
                        request,
                        made,
                        to=made.email,
                        subject="You are invited",
                        template="people/invitation_mail.txt",
                        by=public_name(request.user),
                    )
        except InvitationRefusedError as error:
            form.add_error(None, str(error))
            return self.show(request, form, status=409)
        if has_mail():
            messages.success(request, f"{made.email} is sent a link.")
            return self.response_post_save_add(request, made)
        link = made.link(request)
        return self.show(request, InvitationForm(), link=link, invited=made.email)

    def show(
        self, request: HttpRequest, form: InvitationForm, *, status: int = 200, **shown: Any
    ) -> HttpResponse:
        more = {"has_mail": has_mail(), **shown}
        return self.render(request, "add", "Add a person", status=status, form=form, **more)


admin.site.register(PersonInvitation, InvitationAdmin)
