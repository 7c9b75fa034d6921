"""Reasons that were stored before they were made of fixed words."""

from importlib import import_module

import pytest
from django.apps import apps

from judging.models import Judgement
from tests.conftest import judged

reword = import_module("judging.migrations.0011_reasons_without_replies").reword
NOT_READ = "no verdict could be read in the reply"
REASONS = {
    "no verdict in the reply: One word was expected, found “two”.": NOT_READ,
    "HTTP 400: The reference is two.": "HTTP 400: the request is refused",
    "HTTP 400: context_length_exceeded": "HTTP 400: context_length_exceeded",
    "HTTP 401: the key is refused": "HTTP 401: the key is refused",
    "HTTP 429, 5 times": "HTTP 429, 5 times",
    "the same case was judged before": "the same case was judged before",
}


@pytest.mark.parametrize(("stored", "told"), REASONS.items())
def test_a_stored_reason_loses_what_was_quoted(submission, stored, told):
    row = judged(submission).judgements.first()
    Judgement.objects.filter(pk=row.pk).update(reason=stored)
    reword(apps, None)
    row.refresh_from_db()
    assert row.reason == told
