from django import forms

from benchmarks.submissions.forms import NameField
from benchmarks.submissions.naming.addresses import AddressField
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH


class TeamForm(forms.Form):
    name = NameField(
        max_length=PUBLIC_NAME_LENGTH,
        label="Name of the team",
        help_text="Boards show it as who handed an entry in. No account and no other team has it",
    )


class InvitationForm(forms.Form):
    email = AddressField(
        label="E-mail address",
        help_text="Of a person who has, or will have, an account with this address",
    )
