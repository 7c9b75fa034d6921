import csv
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from tests.each_case import each_case
from tests.growth import seconds

SAMPLE = (
    Path(__file__).resolve().parents[4]
    / "shared/data/hallusionbench/HallusionBench_result_sample.json"
)

YES = """
yes
Yes.
YES!
**Yes**.
**Yes**, the two lines are parallel.
"Yes"
`yes`
(yes)
# Yes
- Yes, it is.
1. Yes
Yes, the value of x is not larger than 6.
Yes - the lines are parallel.
Yes: both are red.
Yes the lines are parallel
Yes，they are.
Yep
Yeah, it does.
Yup.
Yes?
Correct.
True.
Exactly, they match.
Absolutely, the left line is longer.
Absolutely!
Sure.
Of course.
Definitely yes.
I would say yes.
I think yes.
I think so.
It is.
They do.
It does, as the chart shows.
Answer: Yes
The answer is yes.
The correct answer is **Yes**.
Final answer: yes
Well, yes, it is larger.
Okay. Yes.
So yes, the image shows a duck.
The angle is curved. So, yes, the sum is above 180 degrees.
Based on the chart, yes, China leads.
Is the left line longer? Yes, it is.
Please answer yes or no. Yes
Yes or no? Yes.
This statement is correct.
That is true.
That's right.
You are right.
It is true that the lines are parallel.
It is indeed true that the lines are parallel.
The claim is accurate according to the map.
That is not incorrect.
This is not false.
No doubt, the left one is larger.
China indeed had the largest population in the world.
So, China does have the most gold medals.
Yes, although it is hard to tell by how much, the left line is longer.
Yes, the colours look different, but they are actually the same.
Yes, they are correct. No grey points appear elsewhere.
<answer>yes</answer>
\\boxed{yes}
Y
It appears so.
The statement "the line is longer" is true.
No worries, yes.
It isn't clear, but I would say yes.
No, wait, yes.
No — wait, yes.
No. Sorry, I meant yes.
No, actually, yes.
Yes, it is the U.S. It is not China.
"""

NO = """
no
No.
NO!
**No**, the lines differ.
Nope
Nah.
No, the two circles have the same size.
No the lines are curved
No grey points are visible.
Not at all.
Not really.
Not true.
Absolutely not.
Definitely not!
Of course not.
I would say no.
I think not.
I don't think so.
It isn't.
It is not.
They don't, according to the map.
Incorrect.
False.
Wrong, the lines are curved.
Negative.
Answer: no
A: No
The answer is no.
The answer to your question is therefore no.
The answer would be no.
Final Answer: **No**
So, no, the USA did not have the most medals.
Yes or no: No.
That is incorrect.
This statement is false.
The statement is wrong.
That's not correct.
It is not true that the left line is longer.
It's not the case that the lines touch.
The claim is not accurate.
That would be incorrect.
The value of x is not larger than 5.
The value of x isn't larger than 5; it is exactly 5.
There is no cat in the picture.
There's no cat.
The image doesn't show a cat.
The image does not appear to show a cat.
The image shows no cats.
I do not see a cat.
None of the lines are parallel.
Although they look alike, the lines are not parallel.
Arizona lies in the south. Therefore, Arizona is not the farthest north.
It dont look the same
It cant be seen
Yes… no, actually.
Yes. Actually, no.
Yes, wait, no.
Yes, it is. On second thought, no.
Is it a cat? No.
n
The answer is not yes, it is no.
The statement that the line is longer is false.
If they were parallel, the answer would be yes. They are not parallel.
The line is not long enough.
I can't see any cat in the image.
Unfortunately, no.
Neither of them is larger.
No, and the label "yes" on the poster is irrelevant.
"""

UNCERTAIN = """
I'm not sure.
Not sure
It is unclear.
It's not clear whether they match.
It cannot be determined from the image.
I can't tell.
I can’t tell.
I cannot answer this question without the data.
Sorry, I cannot help with that.
I'm sorry, I can't assist with that request.
I don't know.
I do not have access to the data.
I don't have specific export values.
No idea.
No, I'm not sure.
No, it cannot be determined.
No information is given.
No answer
Yes, but I'm not sure.
Yes, maybe.
Maybe.
Perhaps
It depends.
It depends on the year.
There is not enough information to answer.
The image does not provide enough information.
It is impossible to say.
It is difficult to determine which one is larger.
The image is ambiguous.
I am unable to view the image.
As an AI model I look at texts only.
yes and no
Yes no
Yes no yes no
No yes
Yes and no, depending on the angle.
Both yes and no.
Neither yes nor no.
yes or no?
Yes or no
yes/no
Yes. No.
Yes, no.
Maybe yes, maybe no.
Yes, the lines meet. So the answer is no.
Pacific Ocean: No, it does not. Arctic Ocean: Yes, it does.
That is partially correct.
The two lines have the same length.
The value of x is 5.
The images are in the correct order.
The sign says "no".
Is the left line longer?
Sure! The picture shows two lines of the same length.
The image shows a man who is not wearing a hat.
The picture is not only bright but large.
Nov' 22
Norway
No problem! The lines are equal.
It's a cat, not a dog.
The lines are parallel and not curved.
This is a trick question; the answer is neither.
It may not be the same.
Yesterday it rained.
Nothingness
?!
"""


def lines(table: str) -> list[str]:
    return [line for line in table.splitlines() if line]


NO_WORDS = ["", " \n\t", "...", "**", "🙂"]
SEVERAL_LINES = "Yes\n\nThe lines are not parallel.\nThey meet."
REASONS_FIRST = "The sides are 3 and 4.\nSo x is 5.\n\n**Answer:** No"


@each_case(
    "reading, answers",
    [
        ("yes", [*lines(YES), SEVERAL_LINES]),
        ("no", [*lines(NO), REASONS_FIRST]),
        ("uncertain", [*lines(UNCERTAIN), *NO_WORDS]),
    ],
)
def test_answers_that_affirm_deny_or_commit_to_nothing_are_read_so(reading, answers):
    assert [answer for answer in answers if read_yes_no(answer) != reading] == []


CUES = [
    *"., :?!/-—\n",
    "yes",
    "no",
    "not",
    "answer is",
    "so",
    "wait",
    "cannot",
    "tell",
    "if",
    "would",
    "indeed",
]


@given(st.text() | st.lists(st.sampled_from(CUES)).map(" ".join))
def test_any_text_reads_one_of_three(text):
    assert read_yes_no(text) in ("yes", "no", "uncertain")


@given(
    st.sampled_from(lines(YES + NO)),
    st.sampled_from(["{}", " {}\n", "**{}**", '"{}"', "> {}", "*{}*"]),
)
def test_reading_ignores_quotes_and_markdown(answer, wrapping):
    assert read_yes_no(wrapping.format(answer)) == read_yes_no(answer)


@given(st.sampled_from(lines(YES + NO + UNCERTAIN)))
def test_reading_ignores_case(answer):
    assert read_yes_no(answer.upper()) == read_yes_no(answer)


REPEATED = """
a|a |no |yes, |not |the answer |so, |wait |can not |is |?|. |'|a.|1,|ok, |the my final |i do not
it is |- |which |<a claim |labelled yes |"|would if |answer is |true |not a |no doubt |that is
maybe |yes or no |是|İ
"""


@each_case("piece", ["\n", *(piece for line in lines(REPEATED) for piece in line.split("|"))])
def test_answer_of_8000_characters_reads_quickly(piece):
    text = piece * (8_000 // len(piece))
    start = time.process_time()
    read_yes_no(text)
    read_yes_no(f"yes {text}")
    assert time.process_time() - start < 2  # about 0.02 s; backtracking would take minutes


def test_whole_submission_of_typical_answers_reads_within_half_a_second():
    answers = [line for line in lines(YES + NO + UNCERTAIN) if len(line) > 20] * 13
    assert len(answers) > 1129
    assert seconds(lambda: [read_yes_no(answer) for answer in answers[:1129]], 3) < 0.5


def test_official_sample_reads_every_leading_word_and_14_of_55_answers_without():
    if not SAMPLE.exists():
        pytest.skip(f"the official sample of answers is not at {SAMPLE}")
    rows = json.loads(SAMPLE.read_text(encoding="utf-8"))
    read = Counter(
        (
            row["model_prediction"].strip().lower()[:3].rstrip(",. "),
            read_yes_no(row["model_prediction"]),
        )
        for row in rows
    )
    assert (read.pop(("yes", "yes")), read.pop(("no", "no"))) == (112, 87)
    others: Counter[str] = Counter()
    for (_, reading), number in read.items():
        others[reading] += number
    assert others == {"yes": 7, "no": 7, "uncertain": 41}


# --- a corpus -------------------------------------------------------------------------------------

CORPUS = Path(__file__).with_name("yes_no_sentences.tsv")
"""Sentences of our own in twelve patterns; those "blind" are by people who had not seen the rules,
labelled before they were read by them; those "turned" were made to be read the wrong way round.
"\\n" stands for the end of a line."""


def test_98_of_100_sentences_are_read_as_people_read_them_and_none_the_wrong_way_round():
    with CORPUS.open(encoding="utf-8", newline="") as file:
        corpus = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    patterns = Counter(row["pattern"] for row in corpus)
    assert (len(patterns), min(patterns.values()) >= 50) == (12, True)
    assert sum(row["by"] == "blind" for row in corpus) >= len(corpus) / 2
    assert len({row["sentence"] for row in corpus}) == len(corpus) >= 1_000
    read = [read_yes_no(row["sentence"].replace("\\n", "\n")) for row in corpus]
    both = list(zip(corpus, read, strict=True))
    for by in ("ours", "blind"):
        missed = [row for row, found in both if row["by"] == by and found != row["reading"]]
        assert len(missed) <= 0.02 * sum(row["by"] == by for row in corpus), missed
    plain = {"yes": "no", "no": "yes"}
    assert not [row for row, found in both if found == plain.get(row["reading"])]
