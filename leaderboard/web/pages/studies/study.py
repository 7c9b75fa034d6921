"""The contexts of the list of studies and of the report of one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from benchmarks.models import Ability, Release
from benchmarks.statistics.agreement import LEAST_GROUPS, LEAST_ITEMS, Level
from benchmarks.statistics.replacing import LEAST_ITEMS as LEAST_LABELS
from benchmarks.statistics.replacing import LEAST_RATERS, Answer
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.models import JudgeSpec
from judging.panel.models import Study
from leaderboard.models import StudyReport
from leaderboard.results.formatting import MISSING
from leaderboard.results.studies.bars import NARROW, WIDE, Bar, BarRow, draw_bars
from leaderboard.results.studies.report import Packed, rater_number
from leaderboard.results.studies.stored import is_handed_in, shown_parts
from leaderboard.results.studies.titles import about_study, study_title
from leaderboard.web.pages.judges.judge import judge_title
from leaderboard.web.pages.studies.cells import (
    ONE_ANSWER,
    Cell,
    coefficient_cell,
    majority_cell,
    percent,
    share_cell,
)

MOST_STUDIES = 100
"""On the list, the newest: each is read whole, tens of kilobytes."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Coefficient:
    title: str
    about: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """What a study says of a judge. `answer` is "yes", "no" or "not enough labels"."""

    slug: str
    title: str
    is_chosen: bool
    answer: str
    missing: int
    beats: str
    like_majority: Cell
    like_votes: Cell
    people: Cell
    kappa: Cell
    unweighted: Cell | None
    silent: int


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """An ability or a model: the chosen judge and people on the same answers, and people on all of
    them."""

    name: str
    url: str
    judge: Cell | None
    people: Cell
    alpha: Cell


@dataclass(frozen=True, slots=True)
class RaterRow:
    """fails_checks: None where failing them is marked nowhere."""

    name: str
    votes: int
    like_others: Cell
    others: Cell
    is_outlier: bool
    replaced: str
    fails_checks: bool | None


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A figure with the raters who count, and with the others."""

    title: str
    main: Cell
    other: Cell


@dataclass(frozen=True, slots=True)
class Checks:
    """What failing attention checks led to. other_raters, other_votes: of the result beside; no
    lines where nobody's votes are in that."""

    failing: int
    least_passed: int
    is_left_out: bool
    is_marked: bool
    other_raters: int
    other_votes: int
    lines: tuple[OtherLine, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    wide: SafeString
    narrow: SafeString


@dataclass(frozen=True, slots=True)
class Published:
    judge: str
    people: str
    source: str


@dataclass(frozen=True, slots=True)
class StudyPart:
    """One question that people were asked about answers of one release. `judges` may be empty;
    `chosen` is the one whose bars are drawn."""

    slug: str
    benchmark_slug: str
    benchmark: str
    release_slug: str
    release: str
    asks: str
    words: tuple[str, ...]
    items: int
    questions: int
    raters: int
    votes: int
    settled_by_fourth: int
    undecided: int
    outdated: int
    people: tuple[Coefficient, ...]
    judges: tuple[JudgeRow, ...]
    chosen: JudgeRow | None
    charts: tuple[Chart, ...]
    abilities: tuple[ScopeRow, ...]
    models: tuple[ScopeRow, ...]
    each: tuple[RaterRow, ...]
    cohen: str
    cohen_unweighted: str
    kappa: str
    is_weighted: bool
    alpha: str
    checks: Checks | None
    published: Published | None
    epsilon: str

    @property
    def is_alone(self) -> bool:
        """One person rated: nothing can be said of people among each other."""
        return self.raters == 1


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """What the keys of a report stand for."""

    releases: Mapping[int, Release]
    specs: Mapping[int, JudgeSpec]
    models: Mapping[str, str]
    abilities: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, parts: Sequence[Packed]) -> "Names":
        keys = {key for part in parts for key in part["models"]}
        entries = Submission.objects.public().filter(pk__in=keys)
        benchmarks = {part["benchmark"] for part in parts}
        found = entries.values_list("pk", "model__name")
        abilities = Ability.objects.filter(benchmark__slug__in=benchmarks)
        return cls(
            Release.objects.select_related("benchmark").in_bulk({p["release"] for p in parts}),
            JudgeSpec.objects.select_related("prompt_set").in_bulk(
                {judge["spec"] for part in parts for judge in part["judges"]}
            ),
            {str(key): name for key, name in found},
            {
                (benchmark, slug): title
                for benchmark, slug, title in abilities.values_list(
                    "benchmark__slug", "slug", "title"
                )
            },
        )


def reports() -> Any:
    """Those that everybody may see, the newest first."""
    return (
        StudyReport.objects.filter(is_shown=True, file__withdrawn__isnull=True)
        .select_related("file__study")
        .order_by("-file__created", "file")
    )


def studies_page() -> dict[str, Any]:
    """more: older ones that are not listed."""
    found = list(reports()[:MOST_STUDIES])
    parts = {report.pk: list(report.parts) for report in found}
    names = Names.of([part for some in parts.values() for part in some])
    real = [parts[report.pk][0] for report in found if not report.is_made_up]
    return {
        "answer": answer_of(real),
        "lines": [study_line(report, parts[report.pk], names) for report in found],
        "more": reports().count() - len(found) if len(found) == MOST_STUDIES else 0,
    }


def answer_of(studies: Sequence[Packed]) -> str:
    """How far people and judges agree, by the first part of each study that is not made up."""
    if not studies:
        return "No study with real votes yet: those below are made up, to show what one reports."
    people = between(one["people"]["like_majority"][0] for one in studies)
    judges = [judge for one in studies if one["raters"] > 1 for judge in one["judges"]]
    own = between(judge["whole"]["like_majority"][0] for judge in judges)
    able = sum(judge["replacing"]["answer"] == Answer.YES for judge in judges)
    return (
        f"People vote with the majority in {people} of their votes, and judges agree with it in "
        f"{own} of the answers. {able:,} of {len(judges):,} judges proved able to replace a rater."
    )


def between(shares: Iterable[float | None]) -> str:
    """ "75 % to 89 %" """
    known = sorted(share for share in shares if share is not None)
    if not known:
        return "an unknown share (too few raters)"
    least, most = percent(known[0]), percent(known[-1])
    return least if least == most else f"{least} to {most}"


def study_line(report: StudyReport, parts: Sequence[Packed], names: Names) -> dict[str, Any]:
    """answers: of each judge, its title and whether it may stand in."""
    first = parts[0]
    answers = [
        (judge_title(names.specs[judge["spec"]]), judge["replacing"]["answer"])
        for judge in first["judges"]
        if judge["spec"] in names.specs
    ]
    models = [names.models[key] for key in first["models"] if key in names.models]
    return {
        "report": report,
        "title": study_title(titles_of(parts, names), report.file),
        "about": about_study(titles_of(parts, names), report.file) if report.file.study else "",
        "asked": ", ".join(part["asked"]["title"] for part in parts),
        "items": first["items"],
        "raters": first["raters"],
        "votes": sum(part["votes"] for part in parts),
        "people": majority_cell(first["people"]["like_majority"]),
        "models": model_words(models),
        "answers": answers,
    }


def model_words(names: Sequence[str]) -> str:
    """ "Lucid 9B, Parrot 7B and 3 more" """
    shown = list(dict.fromkeys(names))
    more = len(shown) - MOST_NAMED
    return ", ".join(shown[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def titles_of(parts: Sequence[Packed], names: Names) -> list[str]:
    return [names.releases[part["release"]].title for part in parts]


def study_page(report: StudyReport, judge: str = "") -> dict[str, Any]:
    """judge: slug of the one to draw; the first where there is none of that name. late_until: till
    when votes are still taken; late: votes in the figures that came after the end; is_unsettled:
    some are in no figure yet."""
    packed = shown_parts(report)
    names = Names.of(packed)
    file, study = report.file, report.file.study
    parts = [study_part(part, place, names, judge) for place, part in enumerate(packed, start=1)]
    return {
        "report": report,
        "title": study_title(titles_of(packed, names), file),
        "about": about_study(titles_of(packed, names), file) if study else "",
        "day": (study.closed if study else None) or file.created,
        "is_of_samples": not report.is_made_up and not is_handed_in(file),
        "late_until": study.late_until if study and study.takes_votes(database_now()) else None,
        "late": max((part.get("late", 0) for part in packed), default=0),
        "is_unsettled": study is not None and study.unsettled is not None,
        "is_alone": all(part.is_alone for part in parts),
        "parts": parts,
        "least_items": LEAST_ITEMS,
        "least_groups": LEAST_GROUPS,
        "least_raters": LEAST_RATERS,
        "least_labels": LEAST_LABELS,
    }


def study_part(part: Packed, place: int, names: Names, asked: str) -> StudyPart:
    release = names.releases[part["release"]]
    known = [judge for judge in part["judges"] if judge["spec"] in names.specs]
    chosen = next((j for j in known if names.specs[j["spec"]].slug == asked), None) or next(
        iter(known), None
    )
    rows = tuple(judge_row(one, names, is_chosen=one is chosen) for one in known)
    abilities = tuple(
        scope_row(shown_name(part, "abilities", key, names), "", key, "abilities", part, chosen)
        for key in part["abilities"]
    )
    models = tuple(
        scope_row(names.models[key], key, key, "models", part, chosen)
        for key in part["models"]
        if key in names.models
    )
    titles = {"abilities": "By ability", "models": "By model"}
    return StudyPart(
        slug=f"part-{place}",
        benchmark_slug=part["benchmark"],
        benchmark=release.benchmark.title,
        release_slug=release.slug,
        release=release.title,
        asks=part["asked"]["asks"],
        words=tuple(part["asked"]["words"]),
        items=part["items"],
        questions=part["questions"],
        raters=part["raters"],
        votes=part["votes"],
        settled_by_fourth=part["people"]["settled_by_fourth"],
        undecided=part["people"]["undecided"],
        outdated=part.get("outdated", 0),
        people=coefficients(part),
        judges=rows,
        chosen=next((row for row in rows if row.is_chosen), None),
        charts=tuple(
            chart(titles[kind], part, kind, chosen, names)
            for kind, shown in (("abilities", abilities), ("models", models))
            if shown
        ),
        abilities=abilities,
        models=models,
        each=rater_rows(part, chosen),
        cohen=cohen_words(part["pairs"], "kappa"),
        cohen_unweighted=cohen_words(part["pairs"], "kappa_unweighted")
        if level_of(part) is not Level.NOMINAL
        else "",
        kappa=KAPPAS[level_of(part)],
        is_weighted=level_of(part) is not Level.NOMINAL,
        alpha=ALPHAS[level_of(part)],
        checks=checks_of(part, chosen),
        published=published_of(part),
        epsilon=f"{100 * chosen['replacing']['epsilon']:.0f}" if chosen else "",
    )


def published_of(part: Packed) -> Published | None:
    if not part["asked"]["published"]:
        return None
    judge, people, source = part["asked"]["published"]
    return Published(f"{100 * judge:.1f} %", f"{100 * people:.1f} %", source)


# --- people ---------------------------------------------------------------------------------------


KAPPAS = {
    Level.NOMINAL: "Cohen's kappa",
    Level.ORDINAL: "Linearly weighted Cohen's kappa",
    Level.INTERVAL: "Linearly weighted Cohen's kappa",
}
ALPHAS = {
    Level.NOMINAL: "Krippendorff's alpha, nominal",
    Level.ORDINAL: "Krippendorff's alpha, ordinal",
    Level.INTERVAL: "Krippendorff's alpha, interval",
}
DIFFERENCES = {
    Level.NOMINAL: "any two different answers differ by the same amount",
    Level.ORDINAL: "the difference of two answers grows with the votes between them (squared)",
    Level.INTERVAL: "the difference of two answers is their distance on the scale (squared)",
}


def level_of(part: Packed) -> Level:
    """Reports of before do not say it, for as long as a worker needs to make them anew."""
    return Level(part.get("level", Level.NOMINAL))


def checks_of(part: Packed, judge: Packed | None) -> Checks | None:
    """None where nobody failed a check, and of files from elsewhere."""
    found = part.get("checks")
    if not found:
        return None
    beside = found["beside"]
    return Checks(
        failing=found["failing"],
        least_passed=found["least_passed"],
        is_left_out=found["rule"] == Study.Failing.LEFT_OUT,
        is_marked=found["rule"] == Study.Failing.MARKED,
        other_raters=beside["raters"] if beside else 0,
        other_votes=beside["votes"] if beside else 0,
        lines=tuple(other_lines(part, beside, judge)) if beside else (),
    )


def other_lines(part: Packed, beside: Packed, judge: Packed | None) -> list[OtherLine]:
    lines = [
        OtherLine("Votes with the majority", *both(part, beside, "like_majority", majority_cell)),
        OtherLine("Pairs that agree", *both(part, beside, "pairs", share_cell)),
        OtherLine(ALPHAS[level_of(part)], *both(part, beside, "alpha", coefficient_cell)),
        OtherLine("Fleiss' kappa, unweighted", *both(part, beside, "fleiss", coefficient_cell)),
    ]
    other = next((j for j in beside["judges"] if judge and j["spec"] == judge["spec"]), None)
    if judge and other:
        says = (share_cell(one["whole"]["like_majority"]) for one in (judge, other))
        stands = (Cell(one["replacing"]["answer"], n="") for one in (judge, other))
        lines += [
            OtherLine("The judge agrees with the majority", *says),
            OtherLine("The judge can replace a rater", *stands),
        ]
    return lines


def both(
    part: Packed, beside: Packed, key: str, cell: Callable[[Sequence[Any]], Cell]
) -> tuple[Cell, Cell]:
    return cell(part["people"][key]), cell(beside["people"][key])


def coefficients(part: Packed) -> tuple[Coefficient, ...]:
    people = part["people"]
    shares = (
        (
            "Votes with the majority",
            "Share of single votes that match the majority for the answer. The paper's "
            "human consistency, read one way.",
            majority_cell(people["like_majority"]),
        ),
        (
            "Pairs that agree",
            "How often two people rating the same answer agree. The paper's human consistency, "
            "read the other way.",
            share_cell(people["pairs"]),
        ),
    )
    fourth = (
        "Votes with the majority, fourth rater included",
        "As the first, including the fourth rater where three people disagreed.",
        majority_cell(people["with_fourth"]),
    )
    some = (*shares, fourth) if people["settled_by_fourth"] else shares
    return (
        *(Coefficient(title, about, cell) for title, about, cell in some),
        Coefficient(
            ALPHAS[level_of(part)],
            "Agreement beyond chance: 1 is always, 0 as often as by chance. Weights: "
            f"{DIFFERENCES[level_of(part)]}. Works with any number of people per answer.",
            coefficient_cell(people["alpha"]),
        ),
        Coefficient(
            "Fleiss' kappa, unweighted",
            "Agreement of several people beyond chance; only identical ratings agree.",
            coefficient_cell(people["fleiss"]),
        ),
    )


def cohen_words(pairs: Sequence[Packed], key: str) -> str:
    """ "0.61 on average of 3 pairs of raters, 0.52 to 0.70", and how many are left out because it
    says nothing of them; empty where no pair has enough items."""
    known = [one[key][0] for one in pairs if one[key][1] is not None]
    silent = sum(one[key][0] is None and not one[key][6] for one in pairs)
    left_out = (
        f"{silent:,} {'pairs' if silent > 1 else 'pair'} with somebody who gives {ONE_ANSWER}"
    )
    if not known:
        return f"unknown for {left_out}" if silent else ""
    mean = sum(known) / len(known)
    of = f"{len(known):,} pairs of raters" if len(known) > 1 else "one pair of raters"
    between = f", {min(known):.2f} to {max(known):.2f}" if len(known) > 1 else ""
    without = f"; left out: {left_out}" if silent else ""
    return f"{mean:.2f} {'on average of' if len(known) > 1 else 'of'} {of}{between}{without}"


# --- judges, scopes, raters -----------------------------------------------------------------------


def judge_row(judge: Packed, names: Names, *, is_chosen: bool) -> JudgeRow:
    spec, whole, replacing = names.specs[judge["spec"]], judge["whole"], judge["replacing"]
    return JudgeRow(
        slug=spec.slug,
        title=judge_title(spec),
        is_chosen=is_chosen,
        answer=replacing["answer"],
        missing=replacing["missing"],
        beats=percent(replacing["rate"]),
        like_majority=share_cell(whole["like_majority"]),
        like_votes=share_cell(whole["like_votes"]),
        people=majority_cell(whole["people"]),
        kappa=coefficient_cell(whole["kappa"], ONE_ANSWER),
        unweighted=coefficient_cell(whole["kappa_unweighted"], ONE_ANSWER)
        if "kappa_unweighted" in whole
        else None,
        silent=whole["silent"],
    )


def scope_row(
    name: str, url: str, key: str, kind: str, part: Packed, judge: Packed | None
) -> ScopeRow:
    found = judge[kind].get(key) if judge else None
    people = part[kind][key]
    return ScopeRow(
        name=name,
        url=url,
        judge=share_cell(found["like_majority"]) if found else None,
        people=majority_cell(people["like_majority"]),
        alpha=coefficient_cell(people["alpha"]),
    )


def rater_rows(part: Packed, judge: Packed | None) -> tuple[RaterRow, ...]:
    against = {one["rater"]: one for one in judge["replacing"]["people"]} if judge else {}
    enough = judge is not None and not judge["replacing"]["missing"]
    return tuple(
        RaterRow(
            name=f"rater {rater_number(one, place)}",
            votes=one["votes"],
            like_others=share_cell(one["like_others"]),
            others=share_cell(one["others"]),
            is_outlier=one["stands_out"],
            replaced=replaced_words(against.get(rater_number(one, place))) if enough else "",
            fails_checks=one.get("fails_checks"),
        )
        for place, one in enumerate(part["each"], start=1)
    )


def replaced_words(one: Packed | None) -> str:
    if one is None or one["p"] is None:
        return "too few labels"
    return "yes" if one["is_beaten"] else "no"


def chart(
    title: str,
    part: Packed,
    kind: str,
    judge: Packed | None,
    names: Names,
) -> Chart:
    rows = [
        BarRow(
            shown_name(part, kind, key, names), tuple(bars_of(part[kind][key], kind, key, judge))
        )
        for key in part[kind]
        if kind == "abilities" or key in names.models
    ]
    label = f"{title}, agreement in percent: {', '.join(row.name for row in rows)}. "
    label += "The table below lists every value."
    return Chart(title, draw_bars(rows, WIDE, label=label), draw_bars(rows, NARROW, label=label))


def shown_name(part: Packed, kind: str, key: str, names: Names) -> str:
    if kind == "models":
        return names.models[key]
    return names.abilities.get((part["benchmark"], key), key)


def bars_of(people: Packed, kind: str, key: str, judge: Packed | None) -> list[Bar]:
    found = judge[kind].get(key) if judge else None
    both = [("judge", found["like_majority"])] if found else []
    both.append(("people", people["like_majority"]))
    return [bar_of(name, figure) for name, figure in both]


def bar_of(kind: str, figure: Sequence[Any]) -> Bar:
    value, low, high, *_ = figure
    words = f"{kind} {MISSING}" if value is None else f"{kind} {100 * value:.1f}"
    return Bar(kind, words, value, low, high)
