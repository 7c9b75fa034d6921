"""Who may not open a row reads its name where another leads to it; the others have a link."""

from django.contrib.auth.models import Permission, User

from tests.conftest import import_words

PAGE = "/admin/benchmarks/question/{pk}/change/"


def test_a_row_that_is_closed_is_named_and_one_that_is_open_is_a_link(client, db):
    question = import_words([1]).questions.get()
    user = User.objects.create_user("looker", "looker@example.org", is_staff=True)
    client.force_login(user)
    place = f"/admin/benchmarks/benchmark/{question.benchmark_id}/"
    for permission, links in (("view_question", 0), ("view_benchmark", 1)):
        user.user_permissions.add(Permission.objects.get(codename=permission))
        page = client.get(PAGE.format(pk=question.pk)).content.decode()
        assert page.count(f'href="{place}change/"') == page.count(place) == links
        line = page.split("field-benchmark")[1].split("form-row")[0]
        assert str(question.benchmark) in line
        assert page.count("Benchmark:") == 1
