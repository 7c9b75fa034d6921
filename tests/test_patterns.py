"""No text makes a pattern of this project take longer than its length: every one is timed on texts
made against it.

Matching holds the interpreter's lock, so one answer that takes a pattern 16 s stops every thread of
a web process.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.each_case import each_case
from tests.growth import SIZES, UNITS, growth_fault, modules, repeated, seconds

pytestmark = pytest.mark.slow
FEW = 24  # characters against which an exponential pattern takes a second, and not for ever
MOST_DERIVED = 40  # of a pattern's repeats, evenly chosen: that of the openings has 800
FOLLOWED = 6
"""Texts of a pattern that are timed at every size: those that took longest at the first, where a
quadratic one takes a hundred times as long as a linear one."""

SLOW_SECONDS = 0.1  # at the first size already: a linear pattern needs a hundredth of it
SAME_WORK = {"split": "finditer", "findall": "finditer", "subn": "sub"}
METHODS: Mapping[str, Callable[[re.Pattern[Any], Any], object]] = {
    "search": lambda pattern, text: pattern.search(text),
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
    "sub": lambda pattern, text: pattern.sub(text[:0], text),
}


class Found(NamedTuple):
    """A pattern and how the project uses it: `search` over a text looks at it from every place,
    `match` from one."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


# --- the patterns of the project ------------------------------------------------------------------


def patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for part in (*value.keys(), *value.values()):
            yield from patterns_in(part, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from patterns_in(part, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith(ROOTS):
        for part in vars(value).values():
            yield from patterns_in(part, depth - 1)


ROOTS = ("benchmarks", "judging", "leaderboard")


MATCHES = re.compile(rf"\bre\.|\.(?:{'|'.join([*METHODS, *SAME_WORK])})\(")


def source_of(module: ModuleType) -> ast.Module:
    """An empty one of a module that matches nothing: to parse them all takes seconds."""
    text = Path(module.__file__ or "").read_text(encoding="utf-8")
    return ast.parse(text if MATCHES.search(text) else "")


def methods_used(sources: Iterable[ast.Module]) -> dict[str, set[str]]:
    """By the name of a pattern, what it is asked. One that is only handed on is in none."""
    used: dict[str, set[str]] = {}
    for source in sources:
        for node in ast.walk(source):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                value = node.value
                name = value.id if isinstance(value, ast.Name) else value.attr
                used.setdefault(name, set()).add(SAME_WORK.get(node.attr, node.attr))
    return used


def written_inside(source: ast.Module) -> Iterator[re.Pattern[str]]:
    """Patterns that a function hands to `re` as a literal."""
    functions = (node for node in ast.walk(source) if isinstance(node, ast.FunctionDef))
    for node in (part for function in functions for part in ast.walk(function)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield re.compile(node.args[0].value)


def project_patterns() -> list[Found]:
    """Each once, under the first name it has."""
    sources = {module: source_of(module) for module in modules()}
    used = methods_used(sources.values())
    every = frozenset(METHODS)
    found: dict[tuple[Any, int], Found] = {}
    for module, source in sources.items():
        named = [
            (f"{module.__name__}.{name}", pattern, every & used.get(name, set()) or every)
            for name, value in vars(module).items()
            for pattern in patterns_in(value)
        ]
        inside = [(f"{module.__name__} (inside)", p, every) for p in written_inside(source)]
        for name, pattern, methods in (*named, *inside):
            found.setdefault((pattern.pattern, pattern.flags), Found(name, pattern, methods))
    return list(found.values())


# --- texts against a pattern ----------------------------------------------------------------------

REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
CATEGORIES = {
    ops.CATEGORY_DIGIT: "1",
    ops.CATEGORY_NOT_DIGIT: "a",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_NOT_SPACE: "a",
    ops.CATEGORY_WORD: "a",
    ops.CATEGORY_NOT_WORD: " ",
}


def member(items: Iterable[Any]) -> str:
    """A character of a class."""
    excluded, *rest = [*items] or [(None, None)]
    if excluded[0] == ops.NEGATE:
        written = re.compile("[" + "".join(class_text(item) for item in rest) + "]")
        return next((c for c in "a 1-.\n(\u4e00" if not written.match(c)), "a")
    code, value = excluded
    if code == ops.LITERAL:
        return chr(value)
    if code == ops.RANGE:
        return chr(value[0])
    return CATEGORIES.get(value, "a")


def class_text(item: tuple[Any, Any]) -> str:
    code, value = item
    if code == ops.LITERAL:
        return re.escape(chr(value))
    if code == ops.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return {"1": r"\d", "a": r"\w", " ": r"\s"}[CATEGORIES.get(value, "a")]


def branches(node: tuple[Any, Any]) -> list[Any]:
    """What may stand in the place of a node, as parsed sequences."""
    code, value = node
    if code == ops.BRANCH:
        return list(value[1])
    if code == ops.SUBPATTERN:
        return [value[-1]]
    if code == ops.ATOMIC_GROUP:
        return [value]
    return [value[2]] if code in REPEATS else []


def sample(sequence: Iterable[tuple[Any, Any]]) -> str:
    """A short text that matches, where nothing looks around."""
    text = ""
    for node in sequence:
        code, value = node
        if code == ops.LITERAL:
            text += chr(value)
        elif code == ops.NOT_LITERAL:
            text += "a" if chr(value) != "a" else "b"
        elif code == ops.ANY:
            text += "a"
        elif code == ops.IN:
            text += member(value)
        elif code in REPEATS:
            text += sample(value[2]) * min(max(value[0], 1), 5)
        elif inside := branches(node):
            text += sample(inside[0])
    return text


def pumps(sequence: Iterable[tuple[Any, Any]], before: str = "") -> Iterator[tuple[str, str]]:
    """For everything that may be repeated, and every alternative: what stands before it, and it
    once."""
    for node in sequence:
        if node[0] in REPEATS and node[1][1] > 3:
            yield before, sample(node[1][2])
        inside = branches(node)
        for part in inside:
            yield from pumps(part, before)
        if node[0] == ops.BRANCH:
            for part in inside:
                yield before, sample(part) or " "
        before += sample([node])


def texts_against(pattern: re.Pattern[Any]) -> dict[str, Callable[[int], Any]]:
    """Makers of texts of a wanted length, by what they are made of."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    whole = sample(parsed)
    derived = list(dict.fromkeys(pumps(parsed)))
    derived = derived[:: len(derived) // MOST_DERIVED + 1]
    makers: dict[str, Callable[[int], str]] = {}
    for unit in (*UNITS, whole):
        makers[f"{unit!r} repeated"] = lambda n, u=unit: repeated(u, n)  # type: ignore[misc]
    for before, unit in derived:
        makers[f"{before!r} and {unit!r} repeated"] = lambda n, b=before, u=unit: (  # type: ignore[misc]
            b + repeated(u, n - len(b) - 1) + "\x00"
        )
        makers[f"{before!r} and blanks"] = lambda n, b=before: b + " " * (n - len(b) - 1) + "\x00"  # type: ignore[misc]
        makers[f"{before + unit!r} repeated"] = lambda n, u=before + unit: repeated(u, n)  # type: ignore[misc]
    if isinstance(pattern.pattern, bytes):
        return {
            name: lambda n, m=make: m(n).encode("utf-8", "surrogatepass")[:n]  # type: ignore[misc]
            for name, make in makers.items()
        }
    return dict(makers)


# --- timing ---------------------------------------------------------------------------------------


def fault_of_pattern(pattern: re.Pattern[Any], methods: Iterable[str] = METHODS) -> str:
    texts = texts_against(pattern)
    timed = []
    for what, make in texts.items():
        for how in methods:
            for size in (FEW, SIZES[0]):
                text = make(size)
                took = seconds(lambda: METHODS[how](pattern, text))  # noqa: B023 - used at once
                if took > SLOW_SECONDS:
                    return f"{how} on {what}: {took:.3f} s for {size:,} characters"
            timed.append((took, what, how))
    for _, what, how in sorted(timed, reverse=True)[:FOLLOWED]:
        text_of = cache(texts[what])
        if fault := growth_fault(lambda size: METHODS[how](pattern, text_of(size))):  # noqa: B023
            return f"{how} on {what}: {fault}"
    return ""


# --- the tests ------------------------------------------------------------------------------------


@each_case("found", project_patterns)
def test_no_text_makes_a_pattern_take_longer_than_its_length(found):
    assert not fault_of_pattern(found.pattern, found.methods)


@pytest.mark.parametrize(
    "pattern",
    [
        # what noted hidden text until it cost 16 s
        r"\\color\s*(?:\[[^\]]{0,20}\])?\s*\{\s*white\s*\}",
        r"(a|a)*b",  # exponential: a second for 24 characters
    ],
)
def test_a_pattern_whose_time_grows_faster_is_found(pattern):
    assert fault_of_pattern(re.compile(pattern), ["search"])
