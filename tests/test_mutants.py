"""What may be changed of a file, and which tests are asked."""

from contextlib import suppress

import pytest
from django.core import signing

from tests import mutants
from tests.forging import forged
from tests.mutant_operators import unsigned
from tests.site import PROJECT

CODE = '''
Kinds = int | str
"""A text with 3 < 4."""

@decorated(slots=True)
def shown(one: int | None, *, most: float = 2.5) -> int | None:
    assert one > 1
    if not one or one <= most:
        return -one + 1  # and so on
    return one is None
'''


def test_operators_and_numbers_are_changed_and_types_texts_and_assertions_are_not():
    found = [f"{m.line}: {m.change(CODE)}" for m in mutants.mutants_of("code.py", CODE)]
    assert sorted(found) == [
        "10: return one is None becomes return one is not None",
        "2: Kinds = int | str becomes Kinds = int & str",
        "6: def shown(one: int | None, *, most: float = 2.5) -> int | None: becomes "
        "def shown(one: int | None, *, most: float = 3.5) -> int | None:",
        "8: if not one or one <= most: becomes if  one or one <= most:",
        "8: if not one or one <= most: becomes if not not one or one <= most:",
        "8: if not one or one <= most: becomes if not one and one <= most:",
        "8: if not one or one <= most: becomes if not one or one < most:",
        "9: return -one + 1  # and so on becomes return -one + 2  # and so on",
        "9: return -one + 1  # and so on becomes return -one - 1  # and so on",
        "9: return -one + 1  # and so on becomes return one + 1  # and so on",
    ]


def test_a_change_is_gone_afterwards(tmp_path):
    file = tmp_path / "code.py"
    file.write_text(CODE)
    with suppress(KeyboardInterrupt), mutants.changed_file(file, "changed"):
        assert file.read_text() == "changed"
        raise KeyboardInterrupt
    assert file.read_text() == CODE


def test_every_module_but_migrations_is_in_a_room_and_has_tests():
    files = {file for of_room in mutants.rooms().values() for file in of_room}
    assert {"leaderboard/web/pages/site/home.py", "judging/models.py"} <= files
    assert not any("migrations" in file for file in files)


def test_tests_of_the_module_are_asked_first_and_then_those_that_name_it():
    tests = mutants.tests_by_nearness("leaderboard/results/selectors/search.py")
    assert tests[0] == "tests/leaderboard/web/pages/site/test_search.py"
    assert tests.index("tests/leaderboard/web/pages/site/test_search.py") < len(tests) - 1
    assert all((PROJECT / test).is_file() for test in tests)


@pytest.mark.parametrize(
    ("guard", "code", "without"),
    [
        ("ownership", "rows.filter(owner=user, kind=1).all()", "rows.filter(kind=1).all()"),
        (
            "ownership",
            "get_object_or_404(Team, pk=1, member=user)",
            "get_object_or_404(Team, pk=1)",
        ),
        ("restriction", "Entry.objects.visible_to(user).count()", "Entry.objects.all().count()"),
        ("permission", "may = user.has_perm('judging.add')", "may = True"),
        ("permission", "@login_required\ndef page(): ...", "def page(): ..."),
        ("permission", "if x:\n    raise PermissionDenied('no')", "if x:\n    pass"),
        (
            "permission",
            "def may_see(user):\n    return user",
            "def may_see(user):\n    return True",
        ),
        ("permission_class", "permission_classes = [A, B]", "permission_classes = [B]"),
        ("signature", "x = signing.loads(t, max_age=9)[0]", "x = signing.loads(t)[0]"),
        ("signature", "hmac.new(key, b'').digest()", "hmac.new(b'', b'').digest()"),
        ("signature", "if compare_digest(a, b): ...", "if True: ..."),
        ("escape", "x = f'<b>{escape(name)}</b>'", "x = f'<b>{type(escape(str()))(name)}</b>'"),
        (
            "cache_key",
            "def key_of(r):\n    return (r.host, 1)",
            "def key_of(r):\n    return ('', 1)",
        ),
        ("order", "rows.order_by('-pk')[:5]", "rows.order_by()[:5]"),
        ("order", "class Meta:\n    ordering = ['pk']", "class Meta:\n    ordering = []"),
    ],
)
def test_a_guard_is_taken_away(guard, code, without):
    found = [each.changed(code) for each in mutants.mutants_of("x.py", code, [guard])]
    assert without in found


def test_of_a_template_an_escape_or_a_condition_is_taken_away():
    text = "{% if page.may_edit %}\n{{ model.name }}{% endif %}"
    names = ["unescaped", "shown to all"]
    found = [(m.line, m.changed(text)) for m in mutants.mutants_of("x.html", text, names)]
    assert found == [
        (2, text.replace("model.name", "model.name|safe")),
        (1, text.replace("page.may_edit", "True")),
    ]


def test_without_its_signature_a_text_is_read_whoever_made_it():
    assert unsigned(forged([7, "x"], "salt"), salt="salt") == [7, "x"]
    with pytest.raises(signing.BadSignature):
        unsigned("none", salt="salt")


def test_changes_that_change_nothing_fit_the_code_and_have_a_reason():
    for each in mutants.EQUAL:
        was = each["change"].partition(" becomes ")[0]
        assert was in map(str.strip, (PROJECT / each["file"]).read_text().splitlines())
        assert each["why"].endswith(".")
