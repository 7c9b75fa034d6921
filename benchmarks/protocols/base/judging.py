"""The port of `judging.py`: what a judge is asked, and what its reply decides. And that of
`references.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from benchmarks.protocols.base.dataset import QuestionView


@dataclass(frozen=True, slots=True)
class Slot:
    """Which call of an answer: what is asked, and the how-manieth time (from 1)."""

    name: str
    repeat: int = 1

    @property
    def key(self) -> str:
        return f"{self.name}.{self.repeat}"


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """All a judge may know. Blind by type: there is no field that could name who submitted the
    answer."""

    slot: Slot
    question: QuestionView
    reference: str
    description: str
    answer: str
    peer_answer: str | None = None


TextKind = Literal["reference", "description"]
"""A text of a question that has versions and that a judge may read."""


@dataclass(frozen=True, slots=True)
class PlainVerdict:
    """A verdict that needs no call, and why (an empty answer, two identical texts). Everybody may
    read the reason: it is a sentence of the protocol's own and repeats no text of the case."""

    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rules:
    """A deterministic judge. `rule` makes of a case a reply in the form that `parse` reads.

    `name` tells several of one benchmark apart, and is "" for the usual ones; lower-case words with
    hyphens, as in "rules:NAME". `version` is raised with whatever they decide otherwise; `about` is
    a sentence for readers of their scores.
    """

    name: str
    version: str
    about: str
    rule: Callable[[JudgeCase], str]

    @property
    def model(self) -> str:
        """What a judge spec calls it: "3", "first-sentence 1"."""
        return f"{self.name} {self.version}".strip()


class UnreadableError(ValueError):
    """A reply in which the protocol finds no verdict. Neither right nor wrong.

    The message says what was expected and never quotes the reply, which may repeat the prompt.
    """


class JudgingPort(Protocol):
    @property
    def PARSERS(self) -> tuple[str, ...]:
        """Names of the reply parsers, the default first ("strict", "official")."""

    @property
    def PARSER_VERSIONS(self) -> tuple[str, ...]:
        """Versions of the parsers, today's first. The older ones go on reading the replies of specs
        made with them."""

    @property
    def RULES_VERSION(self) -> str: ...

    @property
    def DEFAULT_REPEATS(self) -> int:
        """Repeats of a judge that is a language model. The offline rules are deterministic and
        always run once."""

    @property
    def SLOT_TITLES(self) -> Mapping[str, str]:
        """By the name of every slot, what its call decides, in a reader's words and without a full
        stop; a verdict of several numbers stands after it in the order that it says."""

    def texts_read(self, prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
        """What of a case enters a verdict: by these prompts, or by the rules where they are None;
        what `plain_verdict` looks at included. All others are empty in the cases that the judge
        gets, so that a new version of theirs makes no verdict out of date."""

    def slots(self, question: QuestionView, repeats: int) -> tuple[Slot, ...]:
        """The calls this question needs."""

    def peer(self, question: QuestionView, slot: Slot) -> str | None:
        """Public id of the other question whose answer this call shows too; None where there is
        none."""

    def plain_verdict(self, case: JudgeCase) -> PlainVerdict | None:
        """The verdict of a case that must not cost a call; None where the judge is to be asked."""

    def messages(
        self, case: JudgeCase, prompts: Mapping[str, str], delimiter: str
    ) -> tuple[Message, ...]:
        """What is sent. Answers, and descriptions written by people, stand between lines of
        `delimiter`; instructions are repeated after them."""

    def parse(self, slot: Slot, reply: str, parser: str, version: str = ...) -> str:
        """The verdict in a reply, as stored text, by today's version unless one of PARSER_VERSIONS
        is named.

        Raises UnreadableError, whose words say what was expected and hold nothing of the reply:
        they are public and are told to the judge, and a reply may repeat what is hidden.
        LookupError for an unknown parser or version.
        """

    def rule(self, case: JudgeCase) -> str:
        """The offline judge's reply, in the form `parse` reads."""


class ReferencePort(Protocol):
    """Only for benchmarks whose reference answers are written by a model from the description."""

    @property
    def PROMPTS(self) -> str:
        """Version of the prompt file, in the protocol's folder of prompts."""

    def messages(
        self, question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
    ) -> tuple[Message, ...]:
        """What is sent. The description stands between lines of `delimiter`."""
