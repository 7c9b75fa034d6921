"""What every parser of judges' replies needs: which parsers there are, and where a reply begins."""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Protocol

from benchmarks.protocols.base import Slot, UnreadableError

_THINKING, _THOUGHT = "<think>", "</think>"


class Parse(Protocol):
    """`JudgingPort.parse`; without a version it is today's."""

    def __call__(self, slot: Slot, reply: str, parser: str, version: str = ...) -> str: ...


def parser_of(
    parsers: Collection[str], versions: tuple[str, ...]
) -> Callable[[Callable[[Slot, str, str, str], str]], Parse]:
    """Makes `parse` of a function that reads a reply by a parser and a version that are known.

    Both are checked before: LookupError names those there are. `versions` has today's first.
    """

    def guard(read: Callable[[Slot, str, str, str], str]) -> Parse:
        @wraps(read)
        def parse(slot: Slot, reply: str, parser: str, version: str = versions[0]) -> str:
            if parser not in parsers:
                raise LookupError(f"no parser is named {parser!r}; there are {', '.join(parsers)}")
            if version not in versions:
                known = ", ".join(versions)
                raise LookupError(f"no version {version!r} of parsers; there are {known}")
            return read(slot, reply, parser, version)

        return parse

    return guard


def without_thinking(reply: str) -> str:
    """The reply without one leading `<think>` block: models that reason aloud put it before what
    they say.

    Raises UnreadableError where the block does not end: there is no reply yet. And where it seems
    to end twice: one of the ends is quoted from the answer, which would like to choose where the
    reply begins.
    """
    stripped = reply.lstrip()
    if not stripped.startswith(_THINKING):
        return reply
    _, thought, answer = stripped.partition(_THOUGHT)
    if not thought:
        raise UnreadableError("The reply is a <think> block that does not end.")
    if _THOUGHT in answer:
        raise UnreadableError("The reply has one <think> block that ends once, or none.")
    return answer
