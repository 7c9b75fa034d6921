"""Every file of the corpus is read with the answers of its source, or refused with line, column,
what was expected and what was found."""

from benchmarks.protocols.base import PredictionReading
from tests.each_case import each_case
from tests.protocols.foreign.corpus import ANY, ForeignFile, corpus, counts
from tests.protocols.foreign.damages import DAMAGES
from tests.protocols.foreign.formats import FORMATS

WITHOUT_FOUND = {
    *("empty", "missing-field", "blank-line", "workbook", "parquet", "too-long", "quote"),
}
"""What is wrong is that something is not there, or cannot be told."""


def read(one: ForeignFile) -> PredictionReading:
    return one.format.family.predictions.read(one.upload, one.questions)


@each_case("one", lambda: [one for one in corpus() if not one.code])
def test_a_file_is_read_with_the_answers_of_its_source(one: ForeignFile) -> None:
    reading = read(one)
    assert reading.problems == ()
    assert reading.answers == one.answers
    if one.damage.note:
        assert one.damage.note in [note.code for note in reading.notes]


@each_case("one", lambda: [one for one in corpus() if one.code])
def test_a_file_is_refused_with_its_place_and_what_was_expected_and_found(
    one: ForeignFile,
) -> None:
    problems = read(one).problems
    told = [problem for problem in problems if one.code in (ANY, problem.code)]
    told = [problem for problem in told if one.line in (None, problem.line)]
    assert told, problems[:3]
    if one.column:
        assert one.column in {problem.column for problem in told}, told[:3]
    for problem in told:
        assert problem.message
        assert problem.expected, problem
        assert problem.found or problem.code in WITHOUT_FOUND, problem


def test_the_corpus_has_two_hundred_files_every_damage_and_every_format_read_and_refused() -> None:
    assert len(corpus()) >= 200
    assert len(set(map(str, corpus()))) == len(corpus())
    assert {one.damage.name for one in corpus()} == {damage.name for damage in DAMAGES}
    found = counts()
    assert all(found[str(of), outcome] for of in FORMATS for outcome in ("refused", "read"))
