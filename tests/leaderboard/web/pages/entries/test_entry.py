"""An entry page says where what was judged is not, word for word, what the file says."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from types import SimpleNamespace

import pytest

from benchmarks.protocols.base import BoardTable, ColumnGroup
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.submissions.models import Submission
from judging.models import Judgement
from leaderboard.models import Scoresheet
from leaderboard.results.entries.older_texts import OutdatedTexts
from leaderboard.results.selectors import read_board
from leaderboard.web.pages.entries.entry import (
    metric_line,
    metric_sections,
    older_texts,
    scope_table,
)
from tests.conftest import import_words, judged, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, told
from tests.person import words
from tests.tiny_protocol.board import BOARD, METRICS

TOLD = "Answers that begin with a block: 1 of 4."
OTHER = "An unknown column was passed over."


def page_of(client, submission: Submission) -> str:
    content: str = client.get(f"/entries/{submission.pk}/").content.decode()
    return content


def test_the_page_is_its_scores_its_answers_and_where_they_came_from(client, owner):
    release = import_words(range(12))

    def enter(name: str, right: int) -> Submission:
        answers = "".join(f"{n}={'' if n < right else 'no'}word{n}\n" for n in range(12))
        return judged(submit(release, owner, answers.encode(), name=name)).submission

    best, entry, last = [enter(*one) for one in (("Best", 11), ("A <i>7</i>", 7), ("Last", 3))]
    computed = entry.created + timedelta(days=1)
    Scoresheet.objects.filter(submission=entry).update(computed=computed)
    page = page_at(client, f"/entries/{entry.pk}/")
    content, judge = part(page), entry.runs.get().judge_spec.slug
    assert words(page.xpath("//title")[0]) == "A <i>7</i>, Spelling · Assay"
    head = "Spelling · Spelling, 12 questions A <i>7</i> Model page"
    who = (
        f"judged by offline rules , a program that compares words · submitted by member {owner.pk}"
    )
    assert words(content).startswith(f"{head} · {who}")
    assert words(part(page, "score")) == "58.33 %, 31.95 to 80.67 Accuracy, 95 % interval"
    assert [words(said) for said in part(page, "judge").xpath(".//dl//dd")] == [
        *("1-3", "could be first (95 %)"),
        *("100 %", "of scored answers; 12 judgements with a verdict"),
        *("0", "judgements were refused, cut short or abandoned"),
    ]
    holds = "95 % for all comparisons at once"
    behind = f"33.33 points behind (−7.65 to +74.32, {holds}): too close to call."
    rank = "Could rank 1st to 3rd of 3 (95 %): no clear difference from any other."
    assert words(part(page, "lead")) == f"{rank} Against Best, the leader: {behind}"
    field = content.xpath(".//*[contains(@class, 'forest wide')]//*[@class='name']")
    assert [words(name) for name in field] == ["Best", "A <i>7</i>", "Last"]
    assert cells(part(page, "metrics")) == [
        [f"Accuracy {METRICS['accuracy'].about}", "58.33", "31.95 to 80.67", "12", "100 %"],
        [f"Twice {METRICS['double'].about}", "1.2", "0.6 to 1.7", "12", "100 %"],
    ]
    answered = words(part(page, "questions")).split("This question is asked without a figure.")[1:]
    replies = Judgement.objects.filter(run__submission=entry).order_by("answer__question")
    for n, (one, row) in enumerate(zip(answered, replies, strict=True)):
        verdict = "right" if n < 7 else "wrong"
        for said in (
            f"{n} Words · Long Question Spell word {n}. Answer {'' if n < 7 else 'no'}word{n} ",
            "Reference – not public in this release",
            f"{verdict} Is the word spelled right? {verdict}",
            f"SHA-256 of the reply: {sha256(row.raw_reply.encode()).hexdigest()}",
        ):
            assert said in one
    about = told(part(page, "about"))
    times = about["Submitted"], about["Scores computed"]
    assert times == tuple(f"{moment:%Y-%m-%d %H:%M} UTC" for moment in (entry.created, computed))
    assert about["SHA-256 of the file"] == entry.sha256
    assert about["Submissions"] == "1 submission of this model (public and private)"
    assert links(content) == {
        "Spelling": "/boards/spelling/",
        "Spelling, 12 questions": "/releases/words/",
        "Model page": f"/models/{entry.model.slug}/",
        "offline rules": f"/judges/{judge}/",
        **{other.model.name: f"/entries/{other.pk}/" for other in (best, last)},
        "Full leaderboard": f"/boards/spelling/?release=words&judge={judge}",
        "all 12": f"?judge={judge}#questions",
        "right 7": f"?judge={judge}&outcome=right#questions",
        "wrong 5": f"?judge={judge}&outcome=wrong#questions",
        "Long 12": f"?judge={judge}&subtask=words%2Flong#questions",
        **{
            f"All answers to this question {question.public_id} →": (
                f"/questions/{question.pk}/?release=words&judge={judge}"
            )
            for question in release.questions.all()
        },
        "About this judge →": f"/judges/{judge}/",
        **{
            name: f"/entries/{entry.pk}/{file}?judge={judge}"
            for name, file in {
                "CSV": "answers.csv",
                "JSON lines": "answers.jsonl",
                "Parquet": "answers.parquet",
                "An image": "badge.svg",
                "YAML for a model's page on Hugging Face": "eval-results.yaml",
                "a record for Every Eval Ever": "every-eval-ever.json",
            }.items()
        },
    }


def test_thoughts_taken_out_of_answers_are_told_at_the_entry(submission, client):
    judged(submission)
    notes = [{"code": "thinking", "message": TOLD}, {"code": "columns", "message": OTHER}]
    Submission.objects.filter(pk=submission.pk).update(reading_notes=notes)
    page = page_of(client, submission)
    assert TOLD in page
    assert OTHER not in page


def test_an_entry_without_thoughts_says_nothing_of_them(submission, client):
    judged(submission)
    assert "How the answers were read" not in page_of(client, submission)


def test_answers_by_older_texts_and_by_unknown_ones_are_counted_together(submission):
    judged(submission)
    sheet = Scoresheet.objects.select_related("submission__release__benchmark").get()
    (entry,) = read_board(sheet.submission.release.benchmark).entries
    (figure,) = older_texts(sheet, replace(entry, texts=OutdatedTexts(older=3, unknown=1)))
    assert figure.value == "4"


def value(share: float | None, spread: float | None = None, judged: int = 9) -> MetricValue:
    return MetricValue(share, None, None, spread, n=8, asked=10, judged=judged)


def test_a_metric_is_told_with_its_spread_and_how_much_of_it_was_judged():
    line = metric_line(METRICS["accuracy"], value(0.5, spread=0.015))
    told = [line[name] for name in ("value", "spread", "n", "coverage", "reason")]
    assert told == ["50.00", "1.50", 8, "90.0 %", ""]


def test_a_metric_that_is_not_defined_says_why():
    line = metric_line(METRICS["neatness"], MetricValue(None, None, None, None, 0, 0, 0))
    told = [line[name] for name in ("value", "spread", "coverage", "reason")]
    assert told == ["–", "", "–", "nobody rated it"]


def test_parts_stand_in_the_order_of_the_taxonomy_and_those_beyond_it_last():
    known = {"accuracy": 0.9, "accuracy@own/part": 0.1, "accuracy@own": 0.2}
    figures = {name: value(share) for name, share in known.items()}
    figures |= {"accuracy@words": value(0.3), "accuracy@words/long": value(None)}
    table = scope_table(protocol("spelling"), figures)
    assert table["heads"] == ["Accuracy"]
    assert [(title, is_ability, *values) for title, is_ability, values in table["rows"]] == [
        ("Words", True, ("30.00", "")),
        ("Short", False, ("–", "not measured here")),
        ("Long", False, ("–", "nothing to count")),
        ("own/part", False, ("10.00", "")),
        ("own", True, ("20.00", "")),
    ]


@pytest.mark.parametrize(("count", "others_are_open"), [(1, True), (4, True), (5, False)])
def test_of_more_than_four_sections_only_the_first_is_open(count, others_are_open):
    metrics = [replace(METRICS["accuracy"], name=f"metric {n}") for n in range(count)]
    tables = tuple(
        BoardTable(f"{n}", f"Table {n}", "", (ColumnGroup("", tuple(metrics[: n + 1])),))
        for n in range(count)
    )
    family = replace(
        protocol("spelling"), board=SimpleNamespace(BOARD=replace(BOARD, tables=tables))
    )
    sections = metric_sections(family, {metric.name: value(0.5) for metric in metrics})
    assert [len(section["lines"]) for section in sections] == [1] * count  # each where it first is
    assert [section["is_open"] for section in sections] == [True, *[others_are_open] * (count - 1)]


def test_a_section_without_any_metric_is_left_out():
    assert metric_sections(protocol("spelling"), {"neatness": value(0.5)}) == []
