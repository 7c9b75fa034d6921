"""Everything a study tells, as plain values that a row keeps: how far its people agree, each judge
with them, who stands out, and whether a judge may stand in for one of them.

A figure is [value, low, high, units, items, groups, missing]; what is not defined is null.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.protocols.base import Dimension
from benchmarks.statistics.agreement import (
    Agreed,
    Flags,
    Labels,
    Level,
    cohen_kappa,
    fleiss_kappa,
    judge_like_majority,
    judge_like_votes,
    krippendorff_alpha,
    majority,
    pair_agreement,
    raters,
    settled_by_fourth,
    votes_like_majority,
)
from benchmarks.statistics.replacing import may_replace
from benchmarks.statistics.resampling import Floats
from judging.panel.models import RatingFile, Study
from judging.panel.studies.checks import failing_raters
from judging.panel.studies.reports import late_votes_of
from judging.panel.studies.votes import file_name_of
from leaderboard.results.studies.labels import (
    JudgeWords,
    RatedAnswers,
    judge_words,
    rated_answers,
    voted_answers,
)

Packed = dict[str, Any]
MOST_IN_PAIRS = 10  # raters told two by two: 45 pairs
MOST_MODELS = 100


def study_report(file: RatingFile, public: Sequence[Any]) -> list[Packed]:
    """A part for each release and dimension on which at least two people were asked about one
    answer of a public entry; of a study of this site also where one person was. Where raters failed
    their attention checks the part has both results."""
    parts = {}
    for rated in rated_answers(file, public):
        part = part_of(rated)
        if part["people"]["pairs"][3] or file.study:
            parts[rated.release.pk, rated.dimension.slug] = (rated, part)
    if file.study:
        late = late_votes_of(file.study)
        for _, part in parts.values():
            part["late"] = late
        add_checks(file.study, public, parts)
    return [part for _, part in parts.values()]


def add_checks(
    study: Study,
    public: Sequence[Any],
    parts: Mapping[tuple[int, str], tuple[RatedAnswers, Packed]],
) -> None:
    """The result that the owner of the study did not choose, beside the other: without the raters
    who failed where their votes count, and with them where these are left out."""
    failing = failing_raters(study)
    if not failing:
        return
    is_left_out = study.failing == Study.Failing.LEFT_OUT
    names = {file_name_of(study, number) for number in failing}
    beside = {
        (rated.release.pk, rated.dimension.slug): beside_of(rated)
        for rated in voted_answers(study, public, frozenset() if is_left_out else failing)
    }
    for key, (rated, part) in parts.items():
        part["checks"] = {
            "rule": study.failing,
            "least_passed": study.least_passed,
            "failing": len(failing),
            "beside": beside.get(key),
        }
        if study.failing == Study.Failing.MARKED:
            for name, one in zip(rated.names, part["each"], strict=True):
                one["fails_checks"] = name in names


def beside_of(rated: RatedAnswers) -> Packed:
    """What can be held against the main figures of a part: of people, and of each judge."""
    return {
        "items": len(rated.answers),
        "raters": rated.raters,
        "votes": int((~np.isnan(rated.labels.votes)).sum()),
        "people": of_people(rated.labels),
        "judges": [of_judge(rated, words) for words in judge_words(rated)],
    }


def part_of(rated: RatedAnswers) -> Packed:
    labels = rated.labels
    return {
        "release": rated.release.pk,
        "benchmark": rated.release.benchmark.slug,
        "dimension": rated.dimension.slug,
        "asked": asked_of(rated.dimension),
        "level": labels.level.value,
        "low": labels.low,
        "high": labels.high,
        "items": len(rated.answers),
        "questions": len(np.unique(labels.groups)),
        "votes": int((~np.isnan(labels.votes)).sum()),
        "raters": rated.raters,
        "outdated": rated.outdated,
        "people": of_people(labels),
        "abilities": {slug: of_people(labels.of(here)) for slug, here in scopes(rated.abilities)},
        "models": {str(key): of_people(labels.of(here)) for key, here in models_of(rated)},
        "each": of_each(rated),
        "pairs": of_pairs(rated),
        "judges": [of_judge(rated, words) for words in judge_words(rated)],
    }


def asked_of(dimension: Dimension) -> Packed:
    """What people were asked, in words, and what was published of the same."""
    known = dimension.published
    return {
        "title": dimension.title,
        "asks": dimension.asks or dimension.title,
        "words": [dimension.word(value) for value in dimension.values] if dimension.words else [],
        "published": [known.judge, known.people, known.source] if known else None,
    }


def scopes(values: Sequence[Any]) -> list[tuple[Any, Flags]]:
    """Where each value stands, in the order of their first."""
    array = np.array([str(value) for value in values])
    return [(value, array == str(value)) for value in dict.fromkeys(values)]


def models_of(rated: RatedAnswers) -> list[tuple[Any, Flags]]:
    return scopes(rated.submissions)[:MOST_MODELS]


def of_people(labels: Labels) -> Packed:
    labels_of_majority = majority(labels)
    return {
        "like_majority": packed(votes_like_majority(labels)),
        "with_fourth": packed(votes_like_majority(labels, with_fourth=True)),
        "pairs": packed(pair_agreement(labels)),
        "alpha": packed(krippendorff_alpha(labels)),
        "fleiss": packed(fleiss_kappa(labels)),
        "settled_by_fourth": int(settled_by_fourth(labels).sum()),
        "undecided": int(np.isnan(labels_of_majority).sum()),
    }


def of_each(rated: RatedAnswers) -> list[Packed]:
    """Of each rater by number; votes of those beyond MOST_RATERS are in the figures of all."""
    return [
        {
            "rater": rater,
            "votes": one.votes,
            "like_others": packed(one.like_others),
            "others": packed(one.others),
            "stands_out": one.is_outlier,
        }
        for rater, one in zip(rated.numbers, raters(rated.labels), strict=True)
    ]


def rater_number(one: Packed, place: int) -> int:
    """Reports of before do not say it, for as long as a worker needs to make them anew."""
    return int(one.get("rater", place))


def of_pairs(rated: RatedAnswers) -> list[Packed]:
    """Cohen's kappa of each two of the first raters who share any items."""
    labels, votes = rated.labels, rated.labels.votes
    found = []
    for one, other in combinations(labels.columns[:MOST_IN_PAIRS], 2):
        kappa = cohen_kappa(votes[:, one], votes[:, other], labels)
        if kappa.items:
            pair = {"raters": [rated.numbers[one], rated.numbers[other]], "kappa": packed(kappa)}
            found.append(pair | unweighted(votes[:, one], votes[:, other], labels))
    return found


def unweighted(one: Floats, other: Floats, labels: Labels) -> Packed:
    """Beside a weighted kappa, the one that looks at the same or not the same alone."""
    if labels.level is Level.NOMINAL:
        return {}
    return {"kappa_unweighted": packed(cohen_kappa(one, other, labels, is_weighted=False))}


# --- judges ---------------------------------------------------------------------------------------


def of_judge(rated: RatedAnswers, words: JudgeWords) -> Packed:
    """On the answers of the entries it judged."""
    asked = words.asked > 0
    labels, verdicts = rated.labels.of(asked), words.verdicts[asked]
    replacing = may_replace(labels, verdicts)
    return {
        "spec": words.spec,
        "whole": with_judge(labels, verdicts),
        "abilities": by_scope(rated, words, scopes(rated.abilities)),
        "models": by_scope(rated, words, models_of(rated)),
        "replacing": {
            "answer": replacing.answer.value,
            "rate": number(replacing.rate),
            "advantage": number(replacing.advantage),
            "missing": replacing.missing,
            "epsilon": replacing.epsilon,
            "people": [
                {
                    "rater": rated.numbers[one.rater],
                    "groups": one.groups,
                    "judge": number(one.judge),
                    "person": number(one.person),
                    "p": number(one.p),
                    "is_beaten": one.is_beaten,
                }
                for one in replacing.people
            ],
        },
    }


def by_scope(
    rated: RatedAnswers, words: JudgeWords, places: Sequence[tuple[Any, Flags]]
) -> Mapping[str, Packed]:
    found = {}
    for key, here in places:
        asked = here & (words.asked > 0)
        if asked.any():
            found[str(key)] = with_judge(rated.labels.of(asked), words.verdicts[asked])
    return found


def with_judge(labels: Labels, verdicts: Floats) -> Packed:
    """people: how often single votes say what most do on the same answers, to compare with."""
    return {
        "like_majority": packed(judge_like_majority(labels, verdicts)),
        "like_votes": packed(judge_like_votes(labels, verdicts)),
        "kappa": packed(cohen_kappa(verdicts, majority(labels), labels)),
        **unweighted(verdicts, majority(labels), labels),
        "people": packed(votes_like_majority(labels)),
        "silent": int(np.isnan(verdicts).sum()),
    }


def packed(found: Agreed) -> list[float | int | None]:
    ends = (number(found.value), number(found.low), number(found.high))
    return [*ends, found.units, found.items, found.groups, found.missing]


def number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
