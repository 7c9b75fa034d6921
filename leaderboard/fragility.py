"""How far an entry's score falls by its most important answers: what a lead hangs on.

An answer is changed by giving it the verdict of an empty one, which is the worst there is. Which
answers cost most is found group by group, for a group's contributions depend on its own answers
alone: one more answer of every group is changed at once, so that the whole curve takes as many
looks at the contributions as the largest group has answers, not one per answer.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.protocols.base import Contributions, JudgeCase, JudgingPort, QuestionView, Rules
from benchmarks.statistics.resampling import Floats, ratios, run_means

MOST_CHANGED = 100
"""A lead that a hundred answers do not take away is not fragile; 800 bytes per scoresheet."""

MOST_LOOKS = 48
"""At contributions, per scoresheet: 16 ms each for HallusionBench, whose largest set has 24
answers."""

_ROUNDING = 1e-9  # of the margin: sums of the same floats in another order differ by less

Contribute = Callable[[Collection[int]], Contributions]
"""The contributions where the answers of these rows are changed."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Of the metrics that the ranking is made of: (runs, groups, parts) each, or of several totals
    (runs, n, parts)."""

    numerator: Floats
    denominator: Floats


@dataclass(frozen=True, slots=True)
class Step:
    """One more changed answer of a group, and what the group contributes then: (runs, parts)
    each."""

    group: int
    loss: float
    numerator: Floats
    denominator: Floats


def losses_of(
    contribute: Contribute, groups: Sequence[str], *, ranking: str, higher_is_better: bool = True
) -> Floats:
    """By how much at least the ranking metric gets worse if the best chosen 1, 2, 3 … answers are
    changed.

    groups: of each row. The result ascends, has at most MOST_CHANGED values and is empty where the
    metric is not defined. Answers are chosen one after the other, each the one that costs most
    beside those chosen before: where answers count one by one no other choice costs more; where
    some count together another one may, so that as many answers as this says are enough, and fewer
    may be.
    """
    whole = contribute(())
    value = ranking_function(whole, ranking)
    base, names = sums_of(whole, ranking), whole.groups
    del whole  # its other metrics are not looked at, and every look makes them once more
    place = {name: i for i, name in enumerate(names)}
    if len(place) < len(names) or not place.keys() >= set(groups):
        return np.zeros(0)
    sign = 1.0 if higher_is_better else -1.0
    totals = Sums(*(part.sum(axis=1, keepdims=True) for part in (base.numerator, base.denominator)))
    score = sign * float(value(totals)[0])
    if np.isnan(score):
        return np.zeros(0)

    def loss(groupwise: Sums) -> Floats:
        """What each group alone costs if it contributes this instead, (groups,)."""
        left = Sums(
            totals.numerator - base.numerator + groupwise.numerator,
            totals.denominator - base.denominator + groupwise.denominator,
        )
        return np.nan_to_num(score - sign * value(left), nan=-np.inf)

    rows: list[list[int]] = [[] for _ in names]
    for row, name in enumerate(groups):
        rows[place[name]].append(row)
    steps = group_steps(
        lambda changed: sums_of(contribute(changed), ranking), rows, loss, len(names)
    )
    return summed_losses(steps, base, totals, lambda sums: score - sign * value(sums))


def group_steps(
    look: Callable[[Collection[int]], Sums],
    rows: Sequence[list[int]],
    loss: Callable[[Sums], Floats],
    groups: int,
) -> list[Step]:
    """In each group the answer that costs most, then the one that costs most beside it, and so on,
    as far as looks reach; the first round is always made. A step's loss is what it adds, and no
    more than the step before it."""
    left = [list(found) for found in rows]
    changed: list[int] = []
    before, most = np.zeros(groups), np.full(groups, np.inf)
    steps: list[Step] = []
    looks = 0
    while (width := max(map(len, left), default=0)) and (not looks or looks + width <= MOST_LOOKS):
        looks += width
        best = np.full(groups, -np.inf)
        chosen: list[tuple[int, Sums, int] | None] = [None] * groups
        for number in range(width):
            tried = [found[number] for found in left if number < len(found)]
            sums = look((*changed, *tried))
            found_losses = loss(sums)
            for group in np.flatnonzero(found_losses > best).tolist():
                if number < len(left[group]):
                    best[group] = found_losses[group]
                    chosen[group] = (left[group][number], sums, group)
        made = [found for found in chosen if found]
        if not made:
            return steps
        for row, sums, group in made:
            left[group].remove(row)
            changed.append(row)
            most[group] = min(float(most[group]), float(best[group] - before[group]))
            before[group] = best[group]
            steps.append(
                Step(
                    group, float(most[group]), sums.numerator[:, group], sums.denominator[:, group]
                )
            )
    return steps


def summed_losses(
    steps: Sequence[Step], base: Sums, totals: Sums, loss: Callable[[Sums], Floats]
) -> Floats:
    """What the costliest steps of all groups cost together; those of one group stay in their
    order."""
    ordered = sorted(steps, key=lambda step: -step.loss)[:MOST_CHANGED]
    if not ordered:
        return np.zeros(0)
    numerator, denominator = base.numerator.copy(), base.denominator.copy()
    sums: list[tuple[Floats, Floats]] = []
    all_numerators, all_denominators = totals.numerator[:, 0], totals.denominator[:, 0]
    for step in ordered:
        all_numerators = all_numerators - numerator[:, step.group] + step.numerator
        all_denominators = all_denominators - denominator[:, step.group] + step.denominator
        numerator[:, step.group] = step.numerator
        denominator[:, step.group] = step.denominator
        sums.append((all_numerators, all_denominators))
    found = loss(Sums(*(np.stack(part, axis=1) for part in zip(*sums, strict=True))))
    return np.maximum.accumulate(np.nan_to_num(found, nan=0.0).clip(min=0.0))


def ranking_function(contributions: Contributions, ranking: str) -> Callable[[Sums], Floats]:
    """The ranking metric of totals of its parts, (n,)."""
    made = contributions.derived.get(ranking)

    def value(totals: Sums) -> Floats:
        values = run_means(ratios(totals.numerator, totals.denominator))
        if made is None:
            return values[:, 0]
        return made.function({part: values[:, i] for i, part in enumerate(made.parts)})

    return value


def sums_of(contributions: Contributions, ranking: str) -> Sums:
    made = contributions.derived.get(ranking)
    names = made.parts if made else (ranking,)
    columns = [contributions.names.index(name) for name in names]
    numerator, denominator = contributions.numerator, contributions.denominator
    return Sums(*(part[:, :, columns].astype(np.float64) for part in (numerator, denominator)))


def answers_to_fall(losses: Floats, margin: float) -> int | None:
    """How many changed answers are enough for the score to fall by more than `margin`; None where
    those that were looked at are not."""
    fallen = np.flatnonzero(losses > margin + _ROUNDING * max(1.0, abs(margin)))
    return int(fallen[0]) + 1 if len(fallen) else None


def empty_verdicts(
    judging: JudgingPort,
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    *,
    rules: Rules | None,
) -> Mapping[str, Sequence[str | None]]:
    """What each answer would be judged as if it were empty, by the name of the slot; None where
    only a call tells. rules: of an offline judge."""
    texts = {question.public_id: text for question, text in zip(questions, answers, strict=True)}
    found: dict[str, list[str | None]] = {}
    for row, question in enumerate(questions):
        for slot in judging.slots(question, 1):
            peer = texts.get(judging.peer(question, slot) or "")
            case = JudgeCase(
                slot, question, reference="", description="", answer="", peer_answer=peer
            )
            plain = judging.plain_verdict(case)
            if plain is not None:
                verdict = plain.verdict
            elif rules:
                verdict = judging.parse(slot, rules.rule(case), judging.PARSERS[0])
            else:
                continue
            found.setdefault(slot.name, [None] * len(questions))[row] = verdict
    return found


def changed_columns(
    verdicts: Mapping[str, Sequence[str | None]],
    empty: Mapping[str, Sequence[str | None]],
    rows: Collection[int],
) -> dict[str, Sequence[str | None]]:
    """The columns of verdicts (slot keys) with those of empty answers (slot names) in these
    rows."""
    changed: dict[str, Sequence[str | None]] = dict(verdicts)
    for key, column in verdicts.items():
        if instead := empty.get(key.rpartition(".")[0]):
            written = list(column)
            for row in rows:
                if instead[row] is not None:
                    written[row] = instead[row]
            changed[key] = written
    return changed
