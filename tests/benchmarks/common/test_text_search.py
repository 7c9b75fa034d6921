"""Rows are found by words anywhere in their texts, by an index where the database has one."""

import pytest
from django.db import connection

from benchmarks.common import text_search
from benchmarks.common.text_search import MODELS, QUESTIONS, containing, install, sqlite_statements
from benchmarks.models import Question
from benchmarks.submissions.models import EvaluatedModel

NAMES = [
    ("Lucid-VL 9B", "Northlight"),
    ("lucid mini", "Über GmbH"),
    ('The "Quoted" One', ""),
    ("100% Vision_2", "O'Neil"),
    ("星火视觉模型", "北方"),
]


@pytest.fixture
def models(db):
    for name, organisation in NAMES:
        EvaluatedModel.objects.create(name=name, organisation=organisation)


def found(*words: str) -> list[str]:
    rows = containing(EvaluatedModel.objects.all(), MODELS, words)
    return sorted(rows.values_list("name", flat=True))


WORDS = [
    (["lucid"], ["Lucid-VL 9B", "lucid mini"]),
    (["LUCID", "mini"], ["lucid mini"]),
    (["cid-v"], ["Lucid-VL 9B"]),
    (["9b"], ["Lucid-VL 9B"]),
    (["lucid", "9b"], ["Lucid-VL 9B"]),
    (["gmbh"], ["lucid mini"]),
    (["northlight", "lucid"], ["Lucid-VL 9B"]),
    (['"quoted"'], ['The "Quoted" One']),
    (["o'neil"], ["100% Vision_2"]),
    (["100%"], ["100% Vision_2"]),
    (["n_2"], ["100% Vision_2"]),
    (["nx2"], []),
    (["视觉模"], ["星火视觉模型"]),
    (["视觉"], ["星火视觉模型"]),
    (["lucid", "absent"], []),
    (["*"], []),
    (["mini", "NOT", "quoted"], []),
    (["lucid*"], []),
]


@pytest.mark.usefixtures("models")
def test_rows_with_every_word_are_found():
    wrong = {tuple(words): found(*words) for words, names in WORDS if found(*words) != names}
    assert wrong == {}


@pytest.mark.usefixtures("models")
def test_the_index_follows_its_table():
    EvaluatedModel.objects.filter(name="lucid mini").update(name="Clear mini")
    EvaluatedModel.objects.filter(name__startswith="Lucid").delete()
    EvaluatedModel.objects.create(name="Lucid 3")
    assert found("lucid") == ["Lucid 3"]
    assert found("clear") == ["Clear mini"]


@pytest.mark.usefixtures("models")
def test_without_an_index_the_same_rows_are_found(monkeypatch):
    monkeypatch.setattr(text_search, "has_words_table", lambda using, searched: False)
    assert found("lucid", "9b") == ["Lucid-VL 9B"]
    assert found("视觉模") == ["星火视觉模型"]


def test_questions_are_found_by_their_text(spelling):
    words = spelling.questions.first().text.split()[:2]
    rows = containing(Question.objects.all(), QUESTIONS, [word.casefold() for word in words])
    assert spelling.questions.first() in rows


def plan_of(rows) -> str:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # a table of a test is too small for any index
            cursor.execute("SET LOCAL enable_seqscan = off")
    return str(rows.order_by().explain())


@pytest.mark.usefixtures("models")
def test_the_index_is_used():
    plan = plan_of(containing(EvaluatedModel.objects.all(), MODELS, ["lucid"]))
    assert MODELS.index in plan or "VIRTUAL TABLE INDEX" in plan


@pytest.mark.usefixtures("models")
def test_what_stood_there_before_the_index_is_found():
    """As after an upgrade, or after a migration that built the table anew."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps its indexes itself")
    with connection.cursor() as cursor:
        for event in text_search.TRIGGERS:
            cursor.execute(f"DROP TRIGGER {MODELS.index}_after_{event}")
    EvaluatedModel.objects.create(name="Quiet 7")
    assert found("quiet") == []
    install("default", MODELS)
    assert found("quiet") == ["Quiet 7"]


def test_installing_twice_reads_nothing_again(db, django_assert_num_queries):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps its indexes itself")
    install("default", MODELS)
    assert len(sqlite_statements(MODELS)) == 8
    with django_assert_num_queries(4):  # the tables, a savepoint, its triggers
        install("default", MODELS)
