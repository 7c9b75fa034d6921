"""What every parser of judges' replies needs: which parsers there are, and where a reply begins."""

from collections.abc import Collection

from benchmarks.protocols.base import UnreadableError

_THINKING, _THOUGHT = "<think>", "</think>"


def check_parser(
    parser: str, version: str, *, parsers: Collection[str], versions: Collection[str]
) -> None:
    """Raises LookupError for a parser or a version that is not known."""
    if parser not in parsers:
        raise LookupError(f"no parser is named {parser!r}; there are {', '.join(parsers)}")
    if version not in versions:
        raise LookupError(f"no version {version!r} of parsers; there are {', '.join(versions)}")


def without_thinking(reply: str) -> str:
    """The reply without one leading `<think>` block: models that reason aloud put it before what they say.

    Raises UnreadableError where the block does not end: there is no reply yet. And where it seems to end twice: one of
    the ends is quoted from the answer, which would like to choose where the reply begins.
    """
    begun = reply.lstrip()
    if not begun.startswith(_THINKING):
        return reply
    _, thought, said = begun.partition(_THOUGHT)
    if not thought:
        raise UnreadableError("The reply is a <think> block that does not end.")
    if _THOUGHT in said:
        raise UnreadableError("The reply has one <think> block that ends once, or none.")
    return said
