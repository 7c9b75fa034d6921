"""What is remarkable about the answers of a submission as a whole: the public flags, and the rule
behind each.

A flag says how answers look, not why. It is told by counting, once per submission, and where only
offline rules judge, a flagged entry is not ranked until staff decide. Thresholds leave room for
what honest models do: the bundled samples and 1,119 recorded answers of a real model carry no flag
(tests/submissions/marks/test_flagging.py). Plain Python.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.protocols.answer_texts.invisible import hides_text
from benchmarks.protocols.answer_texts.repeated_question import without_question
from benchmarks.protocols.base import Baseline, ExpectedAnswer

if TYPE_CHECKING:
    from benchmarks.protocols.answer_texts.yes_no import Reading

FLAGS_VERSION = 9
"""To be raised with every change of a rule: the sweep scores runs with older flags anew, which
tells them."""


@dataclass(frozen=True, slots=True)
class FlagRule:
    title: str
    about: str


RULES: Mapping[str, FlagRule] = {
    "constant": FlagRule(
        "constant answers",
        "One text makes up 95 % of all answers, or half of those to questions that do not ask for "
        "yes or no.",
    ),
    "question": FlagRule(
        "answers that differ only by the question",
        "The same as constant answers, once the question is taken out of each.",
    ),
    "long": FlagRule(
        "answers much longer than references",
        "Half of the answers are longer than 20 times the median reference, and than 600 "
        "characters.",
    ),
    "short": FlagRule(
        "answers under a tenth of the description",
        "Half of the answers that are to describe a picture are shorter than a tenth of its "
        "description.",
    ),
    "hollow": FlagRule(
        "answers that name next to nothing of the description",
        "A quarter of the answers that are to describe a picture have less than a twentieth of "
        "the content words of its description.",
    ),
    "both": FlagRule(
        "both yes and no",
        "A tenth of the answers to yes/no questions say both and commit to neither.",
    ),
    "undecided": FlagRule(
        "mostly undecided",
        "More than half of the answers to yes/no questions say neither yes nor no.",
    ),
    "addressed": FlagRule(
        "addressed to the judge",
        "At least one answer in a hundred, and at least three, ask the judge for a verdict or "
        "claim one.",
    ),
    "hidden": FlagRule(
        "hidden text",
        "At least one answer in twenty, and at least two, have invisible characters or markup "
        "that hides text.",
    ),
    "baseline": FlagRule(
        "the answers of a baseline",
        "19 of 20 answers match one baseline of this site: they equal its answers, contain nearly "
        "all of a long one, or commit to the same yes or no.",
    ),
}


@dataclass(frozen=True, slots=True)
class Flag:
    """`count` of `of` answers are so; `of` are those the rule looks at."""

    code: str
    count: int
    of: int


@dataclass(frozen=True, slots=True)
class Given:
    """One answer and what its question expects.

    `text` is the answer in letters and digits alone, `rest` the same without the question;
    `reading` is None where neither yes nor no is asked for.
    """

    answer: str
    text: str
    rest: str
    reading: "Reading | None"
    expected: ExpectedAnswer


# A model that answers in one word says it to most yes/no questions; nobody says one thing to
# everything else.
_SAME, _SAME_ELSEWHERE = 0.95, 0.5
# Six hundred characters, a hundred words, is a long paragraph: some models never say less.
_LONG_TIMES, _LONG_LEAST = 20, 600
_HALF = 0.5
_BOTH = 0.1
_HOLLOW = (
    0.25  # mixed with honest answers they would still halve a score that counts what is invented
)
_HIDDEN = 0.05  # soft hyphens and the like come with copied text
_LIKE_BASELINE = 0.95
_FEW_HIDDEN = 2
# Several questions on one picture of a score sheet or a letter to a jury may be answered with what
# stands there.
_FEW_ADDRESSED, _ADDRESSED = 3, 0.01
# A description with some of its words changed is still that description. Two people who write of
# one picture share few pieces of 12 letters; so many letters of a long one are looked at that an
# answer takes a millisecond at most.
_LONG_TEXT, _HELD, _PIECE, _READ_CHARACTERS = 100, 0.8, 12, 600
_ENOUGH = 10  # shares of fewer answers say nothing


def flags_of(
    questions: Sequence[str],
    answers: Sequence[str],
    expected: Sequence[ExpectedAnswer],
    baselines: Iterable[Sequence[str]] = (),
) -> tuple[Flag, ...]:
    """All sequences follow the questions; each of `baselines` has the answers of one."""
    given = [given_answer(*row) for row in zip(questions, answers, expected, strict=True)]
    return tuple(
        flag
        for flag in (
            *_same(given),
            *_lengths(given),
            *_hollow(given),
            *_yes_no(given),
            *_texts(answers),
            *_copied(given, questions, baselines),
        )
        if flag is not None
    )


def given_answer(question: str, answer: str, expected: ExpectedAnswer) -> Given:
    said = without_question(answer, question)
    reading = _read(said) if expected.is_yes_no else None
    return Given(answer, bare(answer), bare(said), reading, expected)


def bare(text: str) -> str:
    """Letters and digits without case; the text itself where it has none."""
    return "".join(filter(str.isalnum, text)).casefold() or text.strip()


def answers_digest(answers: Iterable[str]) -> str:
    """Equal for the same answers in the same order. They come in the equal form of their protocol,
    without what nearly all have in common."""
    found = hashlib.sha256()
    for answer in answers:
        content = answer.encode("utf-8", "surrogatepass")
        found.update(len(content).to_bytes(8) + content)  # or "a\nb" and "c" were "a" and "b\nc"
    return found.hexdigest()


def _same(given: Sequence[Given]) -> Iterator[Flag]:
    whole = _most_frequent(given, [g.text for g in given])
    if whole:
        yield Flag("constant", *whole)
    elif rest := _most_frequent(given, [g.rest for g in given]):
        yield Flag("question", *rest)


def _most_frequent(given: Sequence[Given], texts: Sequence[str]) -> tuple[int, int] | None:
    """How many of how many have one text, where that is more than honest answers have."""
    elsewhere = [text for g, text in zip(given, texts, strict=True) if g.reading is None]
    for found, share in ((texts, _SAME), (elsewhere, _SAME_ELSEWHERE)):
        for _, count in Counter(found).most_common(1):
            if len(found) >= _ENOUGH and count >= share * len(found):
                return count, len(found)
    return None


def _lengths(given: Sequence[Given]) -> Iterator[Flag]:
    lengths = [len(g.expected.text) for g in given if g.expected.text]
    if lengths:
        longest = max(_LONG_TIMES * median(lengths), _LONG_LEAST)
        yield from _share("long", (len(g.answer) > longest for g in given), len(given), _HALF)
    asked = [g for g in given if g.expected.least_length]
    short = (len(g.answer.strip()) < g.expected.least_length for g in asked)
    yield from _share("short", short, len(asked), _HALF)


def _hollow(given: Sequence[Given]) -> Iterator[Flag]:
    tellers = [(g.answer, g.expected.is_hollow) for g in given if g.expected.is_hollow]
    hollow = (is_hollow(answer) for answer, is_hollow in tellers)
    yield from _share("hollow", hollow, len(tellers), _HOLLOW)


def _yes_no(given: Sequence[Given]) -> Iterator[Flag]:
    asked = [g for g in given if g.reading is not None]
    neither = [g for g in asked if g.reading == "uncertain"]
    yield from _share("both", (_is_both(g.answer) for g in neither), len(asked), _BOTH)
    if len(asked) >= _ENOUGH and len(neither) > _HALF * len(asked):
        yield Flag("undecided", len(neither), len(asked))


_YES, _NO = re.compile(r"\byes\b", re.IGNORECASE), re.compile(r"\bno\b", re.IGNORECASE)


def _is_both(text: str) -> bool:
    return bool(_YES.search(text) and _NO.search(text))


def _share(code: str, hits: Iterable[bool], of: int, share: float) -> Iterator[Flag]:
    count = sum(hits)
    if of >= _ENOUGH and count >= share * of:
        yield Flag(code, count, of)


# Ours, a few ways to speak to a judge in the languages models are asked in; compared with bare
# words between blanks. Each asks for a verdict, or claims one of the answer itself: pictures show
# judges, scores and grades too.
_BEST = (
    r"(?:full|highest|maximum|top|perfect|best) (?:score|scores|marks?|points|rating|grade|credit)"
)
_ANSWER = r"(?:answer|response|prediction|submission)"
_MINE = rf"(?:(?:this|my|the) {_ANSWER}|this|me|it)"
_JUDGE = r"(?:judge|grader|evaluator|examiner|assessor)"
_WANTED = rf"(?:as |with )?(?:an? |the )?(?:10|{_BEST})"
_TO_JUDGE = re.compile(
    r" (?:(?:ignore|disregard|forget) (?:all |any |the |your |of |my ){0,3}(?:previous|prior|above"
    r"|earlier|preceding)"
    r" (?:instructions?|prompts?|rules?)"
    rf"|(?:dear|attention|hello) {_JUDGE}|(?:note|message) to (?:the )?{_JUDGE}"
    rf"|as (?:the|an?) (?:impartial |fair |helpful )?{_JUDGE} you"
    rf"|(?:evaluator|grader|assessor) (?:correct|right|10)"
    rf"|please (?:give|award|assign|grant) (?:the )?{_BEST}"
    rf"|(?:give|award|assign|grant) {_MINE} (?:an? |the )?(?:{_BEST}|10)"
    rf"|(?:rate|score|grade|mark|judge) {_MINE} {_WANTED}"
    rf"|(?:rate|score|grade|mark|judge|accept) {_MINE} as (?:correct|right|true)"
    rf"|(?:this|my) {_ANSWER} (?:deserves|should (?:get|be|receive)|must (?:get|be))"
    rf" (?:(?:rated|scored|judged|graded|marked|given) )?(?:{_WANTED}|(?:as )?correct)"
    rf"|i deserve (?:an? |the )?(?:10|{_BEST})"
    r"|(?:most likely|final assessment) score (?:is )?[01]"
    r"|ignorier(?:e|en sie) alle (?:vorherigen|bisherigen|obigen) anweisungen"
    r"|ignor(?:a|e|ez) (?:todas |toutes )?(?:las |les |as )?(?:instrucciones|instructions"
    r"|instruções)"
    r" (?:anteriores|précédentes)"
    r") |忽略(?:所有|之前|以上|前面|上述){1,2}的?(?:所有)?(?:指令|说明|提示|要求)"
    r"|(?:请|請)(?:给|給|打)(?:我|出)?(?:满分|滿分|最高分)"
)
# A verdict in a form that judges are asked for: alone on its line, in two brackets, or as a field
# of JSON.
_VERDICT = re.compile(
    r"\[\[(?:10|correct)\]\]"
    r"|^(?:final score: {0,2}\*{0,2}1|(?:final )?(?:score|rating): {0,2}\*{0,2}10(?: ?/ ?10| out "
    r"of 10)?)\*{0,2}\.?$"
    r"|[\"'](?:verdict|score|rating)[\"'] {0,2}: {0,2}[\"']?(?:10|correct)\b",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = re.compile(r"[^\W_]+")


def speaks_to_judge(text: str) -> bool:
    words = f" {' '.join(_WORDS.findall(text.casefold()))} "
    return bool(_TO_JUDGE.search(words) or _VERDICT.search(text))


def _texts(answers: Sequence[str]) -> Iterator[Flag]:
    for code, is_so, few, share in (
        ("addressed", speaks_to_judge, _FEW_ADDRESSED, _ADDRESSED),
        ("hidden", hides_text, _FEW_HIDDEN, _HIDDEN),
    ):
        count = sum(map(is_so, answers))
        if count >= max(few, share * len(answers)):
            yield Flag(code, count, len(answers))


def _copied(
    given: Sequence[Given], questions: Sequence[str], baselines: Iterable[Sequence[str]]
) -> Iterator[Flag]:
    """The baseline that is met most often, if it is nearly always."""
    read: dict[str, Reading] = {}
    best = 0
    for answers in baselines:
        rows = list(zip(given, answers, questions, strict=True))
        readings = [_reading_of(made, question, read) for g, made, question in rows if g.reading]
        commits = readings.count("uncertain") <= _HALF * len(readings)
        best = max(
            best,
            sum(_is_like(g, made, question, read, commits=commits) for g, made, question in rows),
        )
    yield from _share("baseline", [True] * best, len(given), _LIKE_BASELINE)


def _is_like(
    given: Given, made: str, question: str, read: "dict[str, Reading]", *, commits: bool
) -> bool:
    """Where yes or no is asked for, the same reading; of a baseline that seldom has one, the same
    letters."""
    if given.reading is None:
        return given.text == bare(made) or holds(given.rest, bare(without_question(made, question)))
    if not commits:
        return given.text == bare(made)
    return given.reading == _reading_of(made, question, read)


def _reading_of(made: str, question: str, read: "dict[str, Reading]") -> "Reading":
    said = without_question(made, question)
    if said not in read:
        read[said] = _read(said)
    return read[said]


def _read(said: str) -> "Reading":
    # Its patterns take 0.1 s to compile: whoever flags nothing does not wait for it.
    from benchmarks.protocols.answer_texts.yes_no import read_yes_no  # noqa: PLC0415

    return read_yes_no(said)


def holds(text: str, long: str) -> bool:
    """Whether nearly all of a long text stands in another, letter by letter; both are bare."""
    if len(long) < _LONG_TEXT or len(text) < _HELD * len(long):
        return False
    pieces = [long[at : at + _PIECE] for at in range(0, min(len(long), _READ_CHARACTERS), _PIECE)]
    left = round((1 - _HELD) * len(pieces))
    for piece in pieces:
        left -= piece not in text
        if left < 0:
            return False
    return True


def texts_in_order(baseline: Baseline, public_ids: Sequence[str]) -> list[str]:
    return [baseline.answers.get(public_id, "") for public_id in public_ids]
