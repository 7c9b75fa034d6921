"""Who may not open a row reads its name where another leads to it; the others have a link."""

import pytest
from django.contrib.auth.models import Permission, User

from benchmarks.models import Question
from tests.conftest import import_words

PAGE = "/admin/benchmarks/question/{pk}/change/"


@pytest.fixture
def question(db) -> Question:
    return import_words([1]).questions.get()


def page_for(client, question: Question, *codenames: str) -> str:
    user = User.objects.create_user("looker", "looker@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(user)
    return str(client.get(PAGE.format(pk=question.pk)).content, "utf-8")


def test_a_row_that_is_closed_is_named_and_no_link(client, question):
    page = page_for(client, question, "view_question")
    assert f"/admin/benchmarks/benchmark/{question.benchmark_id}/" not in page
    line = page.split("field-benchmark")[1].split("form-row")[0]
    assert str(question.benchmark) in line
    assert "Benchmark:" in line


def test_a_row_that_is_open_is_a_link(client, question):
    page = page_for(client, question, "view_question", "view_benchmark")
    assert f'href="/admin/benchmarks/benchmark/{question.benchmark_id}/change/"' in page
    assert page.count("Benchmark:") == 1
