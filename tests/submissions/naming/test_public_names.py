"""Who handed in is said by a name of the account's choice, or a number, and never by its user
name."""

import pytest
from django.contrib.auth.models import User

from benchmarks.submissions.models import PublicName
from benchmarks.submissions.naming.public_names import (
    NameTakenError,
    handed_in_by,
    public_name,
    set_public_name,
)
from tests.api_clients import session_client
from tests.conftest import submit

PAGE = "/accounts/name/"


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def test_a_name_is_set_changed_and_taken_back_and_without_one_there_is_a_number(owner):
    assert public_name(owner) == f"member {owner.pk}"
    client = session_client(owner)
    assert client.post(PAGE, {"name": "  Rosa's   Lab "})["Location"] == "/submissions/"
    assert public_name(fresh(owner)) == "Rosa's Lab"
    client.post(PAGE, {"name": "ROSA'S LAB"})
    assert public_name(fresh(owner)) == "ROSA'S LAB"
    assert "ROSA&#x27;S LAB" in client.get(PAGE).content.decode()
    client.post(PAGE, {"name": ""})
    assert public_name(fresh(owner)) == f"member {owner.pk}"


def test_nobody_takes_a_name_that_looks_like_another_accounts(owner, stranger):
    set_public_name(owner=owner, name="OpenAI")
    for name in ("OpenAI", "0penAl", "Open-AI", "ОpenAI"):
        reply = session_client(stranger).post(PAGE, {"name": name})
        assert reply.status_code == 422
        assert "easily taken for it" in reply.content.decode()
    assert PublicName.objects.count() == 1


SITES_OWN = "member 7|Member l2|mernber 3|former member|Baseline|samples|STAFF|0perators|Assay"


def test_nobody_takes_a_name_that_the_site_uses_or_that_cannot_be_read(owner):
    """Names that only begin so are free."""
    for name in SITES_OWN.split("|"):
        with pytest.raises(NameTakenError, match="site itself"):
            set_public_name(owner=owner, name=name)
    for name in ("=1+1", "a\u202eb", "x" * 61):
        assert session_client(owner).post(PAGE, {"name": name}).status_code == 422
    assert not PublicName.objects.exists()
    for name in ("Membrane Lab", "Sampler", "Staffordshire", "Assayists"):
        set_public_name(owner=owner, name=name)
        assert PublicName.objects.get().name == name


def test_the_sites_own_entries_say_so(spelling, owner):
    assert handed_in_by(submit(spelling, None, origin="baseline")) == "baseline of this site"
    assert handed_in_by(submit(spelling, None, origin="sample")) == "sample of this site"
    assert handed_in_by(submit(spelling, None, name="CLI")) == "the operators of this site"
    assert handed_in_by(submit(spelling, owner)) == f"member {owner.pk}"
