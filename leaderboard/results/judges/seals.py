"""How a judge is named wherever its scores stand, and what the offline rules are worth."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.protocols.base import Board, WorthLine
from judging.models import JudgeSpec


@dataclass(frozen=True, slots=True)
class JudgeSeal:
    slug: str
    label: str
    is_offline: bool


@dataclass(frozen=True, slots=True)
class WorthTable:
    """How reliable the offline rules are, with people. `lines`: title, meaning, n, of the rules, of
    people (or ""), as printed. `is_this_version`: measured of the version the page is about, and
    not of a newer one. `share`: what the sentence says, of 1."""

    sentence: str
    share: float
    about: str
    version: str
    is_this_version: bool
    source: str
    url: str
    lines: tuple[tuple[str, str, str, str, str], ...]


def judge_seal(spec: JudgeSpec) -> JudgeSeal:
    label = spec.model if not spec.is_offline else f"{spec.rules_name or 'offline'} rules"
    return JudgeSeal(spec.slug, label, spec.is_offline)


def judge_words(spec: JudgeSpec) -> str:
    """What tells the judge from others of its label, in a few words."""
    if spec.is_offline:
        return f"version {spec.rules_version}" if spec.model else ""
    prompts = spec.prompt_set.version if spec.prompt_set else ""
    asked = "asked once" if spec.repeats == 1 else f"asked {spec.repeats} times"
    return ", ".join(filter(None, (f"prompts {prompts}" if prompts else "", asked)))


def worth_table(
    board: Board, version: str, asked: Mapping[str, int] | None = None
) -> WorthTable | None:
    """`version`: of the rules that the page is about. `asked`: how many rows of the release that it
    is about each metric looks at, by name; None where it is about no release."""
    worth = board.worth
    if worth is None:
        return None
    line = worth.line_of(asked or {})
    return WorthTable(
        sentence="These rules and people gave the same verdict on "
        f"{print_worth(line, line.rules)} of {line.n:,} recorded answers{line.of}.",
        share=line.rules,
        about=worth.about,
        version=worth.version,
        is_this_version=worth.version == version,
        source=worth.source,
        url=worth.url,
        lines=tuple(
            (
                line.title,
                line.about,
                f"{line.n:,}",
                print_worth(line, line.rules),
                "" if line.people is None else print_worth(line, line.people),
            )
            for line in worth.lines
        ),
    )


def print_worth(line: WorthLine, value: float) -> str:
    return f"{value * 100:.1f} %" if line.unit == "percent" else f"{value:.2f}"
