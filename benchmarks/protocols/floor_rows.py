"""Answers that anybody can make without a picture, so that a reader of a board sees what knowing
nothing scores.

Every protocol's `baselines` begins with these.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Baseline, QuestionView

CONSTANT = "The picture shows a scene with several objects."
ONE_WORD = "picture"
BOTH = "yes and no"

OPTION_WORDS = """
    yes no true false A B C D E none all both one two three four five six seven eight nine ten
    left right top bottom up down red green blue yellow black white brown grey orange pink purple
    round square long short big small same different
""".split()  # noqa: SIM905 - a list of words reads better than a list of strings

# Ours: the little words, numbers and colours, then what everyday pictures show and what is done
# there. None is taken from a benchmark, least of all from hidden references.
COMMON_WORDS = """
    a the this that these those
    i you he she it we they me him her us them my your his its our their who what which
    in on at by to of from with without for over under above below behind beside between near into
    out up down around inside outside
    and or but not if because so as than then when where why how while
    is are was were be been am do does did have has had can could will would may might must should
    yes no none zero one two three four five six seven eight nine ten first second last half many
    few some all both each more most less
    red orange yellow green blue purple pink brown grey black white
    big small large little long short tall wide high low old young new round square flat open
    closed full empty light dark clean wet hot cold same different other left right top bottom
    front back middle
    man woman boy girl child baby person people group player driver face head hair eye hand arm
    leg foot
    dog cat bird horse cow sheep bear fish animal
    car bus train truck boat plane bicycle street road bridge sign wheel
    house room door window wall floor roof table chair bed sofa shelf kitchen
    cup glass plate bowl bottle knife fork spoon food bread cake pizza fruit apple banana meat
    rice water milk coffee wine
    shirt hat coat dress shoe bag phone computer screen book paper ball toy box
    tree grass flower leaf plant sky cloud sun moon snow rain sea beach river mountain field city
    park
    wood metal stone plastic cloth number word letter name text line color shape picture day night
    time year
    stand sit walk run hold wear look eat play show make go see take
""".split()  # noqa: SIM905 - as above
COMMON = " ".join(COMMON_WORDS)


def floor_rows(
    questions: Sequence[QuestionView],
    descriptions: Mapping[str, str],
    *,
    constant: str = CONSTANT,
) -> tuple[Baseline, ...]:
    """The rows of every benchmark; that of descriptions only where there is one."""

    def row(slug: str, title: str, about: str, say: Callable[[QuestionView], str]) -> Baseline:
        return Baseline(slug, title, about, {q.public_id: say(q) for q in questions})

    made = (
        row(
            "constant",
            "One sentence for all",
            "The same well-formed sentence for every question, with no picture and no question "
            "read.",
            lambda _: constant,
        ),
        row(
            "one-word",
            "One word for all",
            f"The word “{ONE_WORD}”, whatever is asked.",
            lambda _: ONE_WORD,
        ),
        row("both", "Yes and no", "“yes and no”, whatever is asked.", lambda _: BOTH),
        row(
            "options",
            "All option words",
            "A list of the words that short questions ask for: yes and no, letters, numbers, "
            "sides, colours, sizes.",
            lambda _: " ".join(OPTION_WORDS),
        ),
        row(
            "echo",
            "The question itself",
            "The question given back as the answer, with no picture seen: the right words without "
            "an answer.",
            lambda q: q.text,
        ),
        row(
            "common-words",
            "300 common words",
            "The same list of 300 everyday words for every question: what many words earn by "
            "accident.",
            lambda _: COMMON,
        ),
    )
    if not any(descriptions.values()):
        return made
    about = (
        "Answers every question about a picture with the human description of that picture: all "
        "that is known of the picture, whatever the question. These answers are shown where "
        "descriptions are public."
    )
    answers = {q.public_id: descriptions.get(q.public_id, "") for q in questions}
    return (*made, Baseline("description", "The description itself", about, answers, True))


def yes_no_rows(
    questions: Sequence[QuestionView],
    rng: np.random.Generator,
    *,
    about_yes: str,
    about_no: str,
    about_coin: str,
) -> tuple[Baseline, ...]:
    """The rows of a benchmark that asks for yes or no; what each is worth there is the protocol's
    to say. The coin is tossed once per question, in order."""
    ids = [question.public_id for question in questions]
    tosses = rng.integers(0, 2, size=len(ids)).tolist()
    tossed = {id_: "Yes" if toss else "No" for id_, toss in zip(ids, tosses, strict=True)}
    return (
        Baseline("always-yes", "Always yes", about_yes, dict.fromkeys(ids, "Yes")),
        Baseline("always-no", "Always no", about_no, dict.fromkeys(ids, "No")),
        Baseline("coin", "Fair coin", about_coin, tossed),
    )
