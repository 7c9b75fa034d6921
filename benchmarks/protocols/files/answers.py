"""From records to answers: every question exactly once, and nothing else."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from benchmarks.protocols.answer_texts.emptiness import is_bare_opening, is_empty_answer
from benchmarks.protocols.answer_texts.failed_calls import (
    is_failed_call,
    is_placeholder,
    is_printed,
)
from benchmarks.protocols.answer_texts.invisible import hides_text
from benchmarks.protocols.answer_texts.thinking import answer_alone, has_thinking_tag
from benchmarks.protocols.base import Note, PredictionReading, Problem, QuestionView
from benchmarks.protocols.files.forms import ASKED
from benchmarks.protocols.files.json_values import type_name
from benchmarks.protocols.files.limits import MAX_LISTED, MAX_ROW_PROBLEMS, SAME_ANSWER_SHARE
from benchmarks.protocols.files.lookalikes import Lookalikes
from benchmarks.protocols.files.records import Record, Records
from benchmarks.protocols.files.text import quoted, visible


def collect_answers(
    records: Records,
    questions: Sequence[QuestionView],
    *,
    id_field: str = "id",
    answer_field: str = "prediction",
    same_answer_share: float = SAME_ANSWER_SHARE,
) -> PredictionReading:
    """The answers in question order, without the thoughts they begin with. Problems are sorted by
    line, those of the whole file first; the last says how many more there are."""
    ids = [question.public_id for question in questions]
    roll = _RollCall(ids, id_field, answer_field, records.as_text)
    for record in records.records:
        roll.enter(record)
    asked = _exchanged(records.records, questions, id_field)
    problems = [*records.problems, *roll.problems, *roll.unknown_problems(), *asked]
    if records.is_whole:
        problems += roll.missing_problems(records.unread_rows)
    written = roll.answers()
    answers = {id_: answer_alone(answer) for id_, answer in written.items()}
    notes = (
        *records.notes,
        *_thinking_note(written, answers),
        *_notes_on(answers),
        *_same_note(answers, same_answer_share),
    )
    missing = tuple(roll.missing()) if records.is_whole else ()
    return PredictionReading(answers, _capped(problems), notes, missing)


def _exchanged(
    records: Sequence[Record], questions: Sequence[QuestionView], id_field: str
) -> Iterator[Problem]:
    """Rows whose text is that of another question: one column of a table was sorted, or answers
    were written beside other ids. One such row alone may be a text that was corrected since. What
    is put around a text, as prompts are, tells nothing."""
    texts = {question.public_id: question.text for question in questions}
    owners = {text: id_ for id_, text in reversed(texts.items())}
    found = [
        (record, given, owners[given], texts[id_])
        for record in records
        if isinstance(id_ := record.fields.get(id_field), str)
        and isinstance(given := record.fields.get(ASKED), str)
        and given in owners
        and texts.get(id_, given) != given
    ]
    for record, given, owner, ours in found if len(found) > 1 else ():
        message = (
            f"The text in this row is that of another question, {quoted(owner)}. Were rows mixed "
            "up? Answers are read by their ids; if only the texts are wrong, leave them out."
        )
        yield record.problem("other-question", message, id_field, visible(ours), visible(given))


def problems_without_ids(records: Records) -> tuple[Problem, ...]:
    """What is wrong with a file of plain rows in which no id was found, so far as that can be told
    without a release; sorted and bounded as those of `collect_answers`."""
    numbers = (
        _not_text("type-of-id", record, "id", record.fields["id"], records.as_text)
        for record in records.records
        if not isinstance(record.fields.get("id", ""), str)
    )
    return _capped([*records.problems, *numbers])


class _RollCall:
    """Ticks off ids as rows name them. An id counts as named even where its answer is refused."""

    def __init__(self, ids: Sequence[str], id_field: str, answer_field: str, as_text: str) -> None:
        self.ids, self.as_text = ids, as_text
        self.id_field, self.answer_field = id_field, answer_field
        self.problems: list[Problem] = []
        self._known = frozenset(ids)
        self._first: dict[str, Record] = {}
        self._unknown: list[tuple[Record, str]] = []
        self._nameless_rows = 0

    def enter(self, record: Record) -> None:
        given = record.fields.get(self.id_field)
        if not isinstance(given, str):
            self._nameless_rows += 1
            if self.id_field in record.fields:
                self.problems.append(
                    _not_text("type-of-id", record, self.id_field, given, self.as_text)
                )
        elif given in self._first:
            self._enter_again(record, given)
        elif given in self._known:
            self._first[given] = record
        else:
            self._unknown.append((record, given))
        answer = record.fields.get(self.answer_field, "")
        if not isinstance(answer, str):
            self.problems.append(
                _not_text("type-of-answer", record, self.answer_field, answer, self.as_text)
            )
        elif is_failed_call(answer):
            message = (
                "This reports a failed call; it is not an answer from the model. Ask the model "
                "these questions again."
            )
            expected, found = "an answer of the model", visible(answer)
            self.problems.append(
                record.problem("failed-answer", message, self.answer_field, expected, found)
            )

    def _enter_again(self, record: Record, given: str) -> None:
        first = self._first[given]
        is_same = record.fields.get(self.answer_field) == first.fields.get(self.answer_field)
        code, manner = (
            ("duplicate", "the same answer") if is_same else ("conflict", "another answer")
        )
        message = f"{quoted(given)} is already {first.where}, with {manner}."
        self.problems.append(
            record.problem(code, message, self.id_field, "each id once", visible(given))
        )

    def answers(self) -> Mapping[str, str]:
        named = (id_ for id_ in self.ids if id_ in self._first)
        given = ((id_, self._first[id_].fields.get(self.answer_field)) for id_ in named)
        return {id_: answer for id_, answer in given if isinstance(answer, str)}

    def missing(self) -> Iterator[str]:
        return (id_ for id_ in self.ids if id_ not in self._first)

    def missing_problems(self, unread_rows: int) -> Iterable[Problem]:
        """One problem that names the first ids; none where rows that could not be read explain them
        all."""
        missing = list(self.missing())
        unread = unread_rows + self._nameless_rows
        if len(missing) <= unread:
            return
        listed = ", ".join(visible(id_) for id_ in missing[:MAX_LISTED])
        total = len(self.ids)
        are = "is" if len(missing) == 1 else "are"
        message = f"{len(missing):,} of {total:,} answers {are} missing: {listed}"
        message += ", …" if len(missing) > MAX_LISTED else ""
        if unread:
            rows = "row" if unread == 1 else "rows"
            message += f" ({unread:,} {rows} could not be read and may hold some of them)"
        yield Problem(
            "missing", message, None, "", f"{total:,} answers", f"{total - len(missing):,} answers"
        )

    def unknown_problems(self) -> Iterable[Problem]:
        if not self._unknown:
            return
        lookalikes = Lookalikes(self.ids)
        alike = {given: lookalikes.find(given) for _, given in self._unknown}
        if sum(close is None for close in alike.values()) > len(self._first):
            yield self._foreign_file()
        free = [id_ for id_ in self.ids if id_ not in self._first]
        for record, given in self._unknown:
            close = alike[given] or lookalikes.find_spelling(given, free)
            message = f"{quoted(given)} is not an id of this release."
            if close:
                message += f" {close.question}"
            expected = visible(close.id) if close else "an id of this release"
            yield record.problem("unknown", message, self.id_field, expected, visible(given))

    def _foreign_file(self) -> Problem:
        count = len(self._unknown)
        message = (
            f"Most ids are not from this release: {count} are unknown, {len(self._first)} known. "
            "Was the file made for another benchmark, or another version of this one?"
        )
        return Problem(
            "unknown", message, None, self.id_field, "ids of this release", f"{count} others"
        )


def _not_text(code: str, record: Record, field: str, value: object, as_text: str) -> Problem:
    message = (
        f"The field {quoted(field)} holds {type_name(value)}, not a text; nothing is converted."
    )
    if value is None and code == "type-of-answer":
        message += ' Where the model gave no answer, write an empty text ("").'
    return record.problem(code, message, field, as_text, visible(json.dumps(value)))


_MARKED: tuple[tuple[str, Callable[[str], bool], str, str], ...] = (
    (
        "empty-answers",
        is_empty_answer,
        "Empty answers",
        "Each gets the worst score without a judge call.",
    ),
    (
        "placeholders",
        is_placeholder,
        "Answers such as nan, None, timeout or a traceback, which programs write for no answer",
        "They are judged as they are: ask the model again where it gave no answer.",
    ),
    (
        "printed",
        is_printed,
        "Answers such as ['Yes'] or ChatCompletion(…), the printed form of a list or an object",
        "They are judged as they are: submit the text inside instead.",
    ),
    (
        "bare-openings",
        is_bare_opening,
        "Answers that are nothing but an opening phrase",
        "Each gets the worst score without a judge call, unless it is the correct answer.",
    ),
    (
        "hidden-text",
        hides_text,
        "Answers with invisible characters or markup that hides text",
        "They are judged as they are.",
    ),
    (
        "unclear-thinking",
        has_thinking_tag,
        "Answers with <think> tags that do not form a complete block before the answer",
        "They are judged as they are, tags and thoughts included.",
    ),
)


def _notes_on(answers: Mapping[str, str]) -> Iterable[Note]:
    for code, is_so, which, consequence in _MARKED:
        found = [id_ for id_, answer in answers.items() if is_so(answer)]
        if found:
            yield Note(code, f"{which}: {_counted(found, answers)}. {consequence}")


def _counted(found: Sequence[str], answers: Mapping[str, str]) -> str:
    return f"{len(found):,} of {len(answers):,} (the first: {visible(found[0])})"


def _thinking_note(written: Mapping[str, str], answers: Mapping[str, str]) -> Iterable[Note]:
    """Entry pages show it too: what is judged there is not, word for word, what the file says."""
    found = [id_ for id_, answer in answers.items() if answer != written[id_]]
    if found:
        message = f"Answers with thoughts in <think> tags before them: {_counted(found, answers)}."
        yield Note("thinking", f"{message} These were taken out; what follows them is judged.")


def _same_note(answers: Mapping[str, str], share: float) -> Iterable[Note]:
    """The rule that finds a model which says one thing whatever it is asked."""
    texts = Counter(filter(None, (answer.strip() for answer in answers.values())))
    for text, count in texts.most_common(1):
        if count > 1 and count > share * len(answers):
            message = f"{count:,} of {len(answers):,} answers are the same: {quoted(text)}."
            yield Note("same-answer", message)


def _capped(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    if len(ordered) <= MAX_ROW_PROBLEMS:
        return tuple(ordered)
    rest = len(ordered) - MAX_ROW_PROBLEMS
    word = "problem" if rest == 1 else "problems"
    return (*ordered[:MAX_ROW_PROBLEMS], Problem("more", f"And {rest:,} more {word}."))
