"""Changes of who may see what, for tests/mutants.py: operators of our own for cosmic-ray.

Each takes one guard away: who owns it, what is public, an escape, a part of a cache's key, an
order, a permission, a signature.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from django.core import signing
from parso.python.tree import Name

Node = Any  # parso's types have children and parents for some only
PEOPLE = (
    r"owner|user|author|team|member|rater|by|\w+_by|visibility|withdrawn|confirmed|is_active|"
    r"digest|token|client_token|secret|nonce|held_by"
)
SCOPED = re.compile(rf"(~?Q\()?(\w+__)*({PEOPLE})(__\w+)*\s*[=(]")
QUERIES = {"filter", "exclude", "get", "get_object_or_404", "Q"}
RESTRICTIONS = {
    *("public", "visible_to", "held_by", "published", "not_withdrawn", "confirmed", "handed_in"),
    *("still_theirs", "valid", "accepting", "whole"),
}
SIGN_INS = re.compile(r"@\w*(login|permission|staff|superuser|passes_test)")
PERSONAL = {"is_authenticated", "is_staff", "is_superuser", "is_active"}
REFUSALS = re.compile(
    r"raise (PermissionDenied|Http404|Not\w*|not_yours|gone|Auth\w+|SelfApproval\w*)\b"
)
KEYS = re.compile(
    r"(content_|archive_|pictures_|browser_|\w*cache_)?key(_of|_digest)?|own_host|\w*etag"
)
DECIDES = re.compile(r"has_\w*permission|may_\w+")
SAFE = '__import__("django.utils.safestring").utils.safestring.mark_safe'
UNSIGNED = '__import__("tests.mutant_operators").mutant_operators.unsigned'


def unsigned(value: str, **checks: Any) -> Any:
    """What `signing.loads` gives, of a text that anybody may have made."""
    try:
        return signing.JSONSerializer().loads(signing.b64_decode(value.split(":")[0].encode()))
    except (ValueError, AttributeError) as error:
        raise signing.BadSignature from error


def code(node: Node) -> str:
    return str(node.get_code()).strip()


def parts_of(brackets: Node) -> list[str]:
    """What stands between them, without commas."""
    inner = brackets.children[1:-1]
    several = inner and inner[0].type in ("arglist", "testlist_comp")
    return [code(part) for part in (inner[0].children if several else inner) if code(part) != ","]


def between(before: str, after: str, text: str) -> str:
    return before + text + after


def calls(node: Node) -> Iterator[tuple[str, list[str], Callable[[str], str]]]:
    """Of `a.b(c).d(e)` each call: its name, its arguments, and what makes the whole with another
    text in its place; `.b(c)` has its dot, `b(c)` has none."""
    if node.type in ("atom_expr", "power"):
        words = [code(child) for child in node.children]
        for place, child in enumerate(node.children):
            if place and child.type == "trailer" and words[place].startswith("("):
                before, after = "".join(words[: place - 1]), "".join(words[place + 1 :])
                yield words[place - 1], parts_of(child), partial(between, before, after)


def ownership(node: Node) -> Iterator[str]:
    above = node.search_ancestor("argument", "funcdef")
    in_constraint = above is not None and code(above).startswith("condition=")  # the migrations'
    for name, parts, whole in calls(node):
        if name.lstrip(".") in QUERIES and not in_constraint:
            for place, part in enumerate(parts):
                if SCOPED.match(part):
                    yield whole(f"{name}({', '.join(parts[:place] + parts[place + 1 :])})")


def restriction(node: Node) -> Iterator[str]:
    for name, _, whole in calls(node):
        if name.startswith(".") and name[1:] in RESTRICTIONS:
            yield whole(".all()")


def escape(node: Node) -> Iterator[str]:
    for name, parts, whole in calls(node):
        match name, parts:
            case (("escape" | "conditional_escape"), [text]):
                yield whole(
                    f"type({name}(str()))({text})"
                )  # no quotes: it may stand in an f-string
            case "format_html", [text, *values]:
                yield whole(f"{SAFE}(({text}).format({', '.join(values)}))")
            case "format_html_join", [separator, text, rows]:
                each = f"({text}).format(*row) for row in {rows}"
                yield whole(f"{SAFE}(({separator}).join({each}))")


def cache_key(node: Node) -> Iterator[str]:
    function = node.search_ancestor("funcdef")
    is_key = function is not None and KEYS.fullmatch(function.name.value)
    if is_key and node.type == "atom" and node.children[0].value in "([":
        parts = parts_of(node)
        for place in range(len(parts) if len(parts) > 1 else 0):
            yield f"({', '.join([*parts[:place], repr(''), *parts[place + 1 :]])})"
    elif is_key and node.type == "fstring_expr":
        yield ""
    for name, _, whole in calls(node):
        if name == ".get_host":
            yield f"{whole('').partition('.')[0]!r}"


def order(node: Node) -> Iterator[str]:
    for name, parts, whole in calls(node):
        if name == ".order_by" and parts:
            yield whole(".order_by()")
    if node.type == "expr_stmt" and code(node.children[0]) == "ordering":
        yield "ordering = []"


def permission(node: Node) -> Iterator[str]:
    text = code(node)
    if any(name in (".has_perm", ".has_perms", ".require") for name, *_ in calls(node)):
        yield "True"
    elif node.type == "decorator" and SIGN_INS.match(text):
        yield ""
    elif node.type == "raise_stmt" and REFUSALS.match(text):
        yield "pass"
    elif node.type == "return_stmt" and text != "return True":
        function = node.search_ancestor("funcdef")
        if function and DECIDES.fullmatch(function.name.value):
            yield "return True"
    elif (
        node.type == "atom_expr"
        and text.rpartition(".")[2] in PERSONAL
        and node.parent.type not in ("assert_stmt", "expr_stmt")  # there it is what is set
    ):
        yield "True"


def permission_class(node: Node) -> Iterator[str]:
    if node.type == "expr_stmt" and code(node.children[0]) == "permission_classes":
        parts = parts_of(node.children[-1])
        for place in range(len(parts)):
            yield f"permission_classes = [{', '.join(parts[:place] + parts[place + 1 :])}]"


def signature(node: Node) -> Iterator[str]:
    for name, parts, whole in calls(node):
        rest = whole("").removeprefix("hmac").removeprefix("signing")
        if name.lstrip(".") in ("compare_digest", "constant_time_compare"):
            yield whole("True")
        elif name == ".loads" and whole("").startswith("signing"):
            yield f"{UNSIGNED}({', '.join(parts)}){rest}"  # "signing" goes with it
            for part in parts:
                if part.startswith("max_age"):
                    yield f"signing.loads({', '.join(p for p in parts if p != part)}){rest}"
        elif name == ".new" and whole("").startswith("hmac"):
            yield f"hmac.new({', '.join([repr(b''), *parts[1:]])}){rest}"


class Guard(Operator):  # type: ignore[misc]  # cosmic-ray has no types
    """`texts` says what a node may become."""

    def __init__(self, texts: Callable[[Node], Iterator[str]]) -> None:
        self.texts = texts

    def mutation_positions(self, node: Node) -> Iterator[tuple[Any, Any]]:
        return ((node.start_pos, node.end_pos) for _ in self.texts(node))

    def mutate(self, node: Node, index: int) -> Node:
        text = [*self.texts(node)][index]
        # Of a decorator nothing stays, not even the indent.
        return Name(text, node.start_pos, node.get_first_leaf().prefix if text else "")

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return ()


GUARDS: Mapping[str, Guard] = {
    texts.__name__: Guard(texts)
    for texts in (
        ownership,
        restriction,
        permission,
        permission_class,
        signature,
        escape,
        cache_key,
        order,
    )
}
IN_TEMPLATES: Mapping[str, tuple[re.Pattern[str], str]] = {
    "unescaped": (re.compile(r"{{ ([^}\"']+?) }}"), r"{{ \1|safe }}"),
    "shown to all": (
        re.compile(
            r"{% if [^%]*\b(?:may_\w+|perms|is_staff|is_own\w*|is_held\w*|is_auth\w+)[^%]* %}"
        ),
        "{% if True %}",
    ),
}
"""What they are in templates: a pattern, and what stands in its place."""
