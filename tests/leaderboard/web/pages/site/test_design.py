"""The page of all parts: both themes, every token, and only for staff."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

pytestmark = pytest.mark.django_db


def test_staff_see_every_token_and_part_in_both_themes(admin_client):
    page = admin_client.get(reverse("design")).text
    tokens = (settings.BASE_DIR / "static/css/tokens.css").read_text()
    drawn = re.findall(r"--((?:size|space|series|kind|state|verdict|heat)[\w-]*):", tokens)
    assert drawn
    for name in drawn:
        assert page.count(f"var(--{name})") == 2, name
    for part in ('class="in', "button danger", "notice warn", 'class="seal"', "radar", "errorlist"):
        assert page.count(part) in (2, 4), part
    assert re.findall(r'class="theme (in-\w+)"', page) == ["in-light", "in-dark"]
    assert "No board of this site has an entry yet" in page


def test_no_id_stands_twice(admin_client):
    ids = re.findall(r'\bid="([^"]+)"', admin_client.get(reverse("design")).text)
    assert len(ids) == len(set(ids))


def test_staff_alone_are_led_there(admin_client, client, django_user_model):
    link = f'href="{reverse("design")}"'
    assert link in admin_client.get(reverse("my-entries")).text
    client.force_login(django_user_model.objects.create_user("visitor"))
    assert link not in client.get(reverse("my-entries")).text
    assert client.get(reverse("design")).status_code == 302
