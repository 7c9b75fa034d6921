from django import forms

from benchmarks.submissions.forms import NameField
from benchmarks.submissions.naming.addresses import AddressField
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH


class TeamForm(forms.Form):
    name = NameField(
        max_length=PUBLIC_NAME_LENGTH,
        label="Name of the team",
        help_text="Boards show it as the submitter. It must be unique among accounts and teams",
    )


class InvitationForm(forms.Form):
    email = AddressField(
        label="E-mail address",
        help_text="Address of a person who has, or will have, an account",
    )
