"""Who is not signed in learns that a sign-in is missing, not whether a refused file is there."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse


@pytest.mark.django_db
def test_the_problems_of_a_refused_file_are_told_to_nobody_who_is_not_signed_in():
    address = reverse("api-refused-file", args=[uuid.uuid4()])
    response = Client().get(address)
    assert response.status_code == 401
    assert "refused file" not in response.json()["detail"]
