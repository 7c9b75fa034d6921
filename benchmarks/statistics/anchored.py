"""A judge's mean with its error taken out, by the labels that people gave to some of the answers.

The judge says something of every answer, people of a sample of them. `anchored_mean` is
prediction-powered inference for a mean (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023,
"Prediction-powered inference", Science 382, and arXiv 2301.09633), with the weight of the judge
tuned (Angelopoulos, Duchi and Zrnic 2023, "PPI++", arXiv 2311.01453); `by_error_rates` solves for
the true share by how often the judge is right of right answers and of wrong ones (Rogan and Gladen
1978, "Estimating prevalence from the results of a screening test"). Both count by resampling group,
since answers of one figure may be alike.

Two things they rest on. The labelled answers are a random sample of all, within each stratum if
there are strata: labels of answers that somebody picked anchor nothing. And the labels are the
truth: where people err, what is found is what people would have said of all answers.

docs/visitor/human_labels.md has how often the intervals hold what they should (`python -m
bench.anchored`).
The package ppi-python makes the same means, by independent answers alone, and would bring Numba,
pandas, scikit-learn and statsmodels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.distributions import ndtri, stdtrit
from benchmarks.statistics.intervals import effective_groups
from benchmarks.statistics.resampling import LEVEL, Floats

Places = NDArray[np.intp]

LEAST_LABELS = 50
"""Of fewer the intervals hold the truth too rarely (of 30 in 92 % of simulations, where 80 % of the
answers are right and the judge is of 90 %)."""
LEAST_GROUPS = 30
"""That the labels count for: of 60 labels in 20 groups of alike answers in 92 %."""
LEAST_OF_A_KIND = 10
"""Answers that people call right, and that they call wrong, below which nobody knows how often the
judge is right of that kind."""

# As many more labels of each kind of error as the variance counts beside those that were seen. Of
# 200 labels of a judge that errs once in a hundred, one set in seven shows no error at all, and
# intervals without this held the truth in 91 % of simulations; half a label of each kind, which
# Agresti and Min (2005) add to differences of shares, makes it 97 %.
_UNSEEN = 0.2
# Of a mean of fewer labels so many times more as they are fewer. Of 50 labels of a judge that is
# right of 97 %, one set in five shows no error: where 95 % of the answers are right intervals held
# in 72 % of simulations without this, and in 99 % with it.
_FEW = 200
_ROUNDING = 1e-12
_UNLIKELY = 4.75  # deviations of a normal


@dataclass(frozen=True, slots=True)
class Anchored:
    """value, low, high: in the unit of the labels. labels: how many were used; groups: how many
    groups of equal size they count for. weight: of the judge, from 0, labels alone, to 1."""

    value: float
    low: float
    high: float
    labels: int
    groups: float
    weight: float


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Shares. of_right, of_wrong: of the answers that people call right, and wrong, how many the
    judge calls right: its sensitivity, and 1 less its specificity. value, low, high: the true
    share; None where the labels do not tell the two rates apart, so that any share fits."""

    of_right: float
    of_wrong: float
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """N answers of which the judge said something. judged, labels: (N,), labels nan where there is
    none. group: (N,), from 0. weights: (N,), what a label counts for, 0 without one, and of all
    labels 1."""

    judged: Floats
    labels: Floats
    group: Places
    weights: Floats

    @property
    def has_label(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.labels)

    @property
    def groups(self) -> float:
        """Groups of equal size that the labels count for."""
        return float(effective_groups(by_group(self.group, self.has_label.astype(np.float64))))

    def moves(self, values: Floats, weights: Floats) -> Floats:
        """By how much each group moves the weighted mean of `values`, (groups,)."""
        counted = np.where(weights > 0, values, 0.0)
        mean = (weights * counted).sum() / weights.sum()
        return by_group(self.group, weights * (counted - mean) / weights.sum())

    def mean(self, values: Floats, weights: Floats | None = None) -> float:
        weights = self.weights if weights is None else weights
        counted = np.where(weights > 0, values, 0.0)
        return float((weights * counted).sum() / weights.sum())


def by_group(group: Places, values: Floats) -> Floats:
    """Their sums, (groups,)."""
    return np.asarray(np.bincount(group, values), dtype=np.float64)


def sample_of(
    judged: Floats, labels: Floats, group: Places, strata: Places | None = None
) -> Sample | None:
    """The answers that have a word of the judge, each label weighted so that strata count as they
    do among all of these. judged, labels: (N,), nan where there is none; group, strata: (N,), from
    0. None without labels, and where a stratum has none: what the judge errs there nobody told.
    """
    known = ~np.isnan(judged)
    judged, labels, group = judged[known], labels[known], group[known]
    stratum = np.zeros(len(judged), dtype=np.intp) if strata is None else strata[known]
    has_label = ~np.isnan(labels)
    answers = np.bincount(stratum, minlength=1).astype(np.float64)
    labelled = np.bincount(stratum, has_label.astype(np.float64), minlength=1)
    if not has_label.any() or (labelled[answers > 0] == 0).any():
        return None
    share = np.divide(answers, labelled, out=np.zeros_like(answers), where=labelled > 0)
    weights = np.where(has_label, share[stratum], 0.0) / len(judged)
    numbered = np.unique(group, return_inverse=True)[1]
    return Sample(judged, labels, numbered, weights)


def is_fair_draw(drawn: NDArray[np.bool_], strata: Places, parts: Places) -> bool:
    """Whether the drawn answers may be a random sample within strata: whether the parts that each
    stratum has come about as often among them as among all. drawn, strata, parts: (N,), the latter
    from 0; a part lies in one stratum.

    By Pearson's chi-squared over the parts, whose cube root is nearly normal (Wilson and Hilferty
    1931), and only where chance would do it one time in a million (_UNLIKELY): with few expected of
    a part the true chance is larger. It finds labels of chosen datasets, and no answers that were
    picked within a part.
    """
    found = 0.0
    degrees = 0
    for stratum in np.unique(strata):
        here = strata == stratum
        of_part = np.bincount(parts[here]).astype(np.float64)
        seen = np.bincount(parts[here], drawn[here].astype(np.float64))
        seen, of_part = seen[of_part > 0], of_part[of_part > 0]
        expected = of_part * seen.sum() / of_part.sum()
        if seen.any():
            found += float(((seen - expected) ** 2 / expected).sum())
            degrees += len(of_part) - 1
    if degrees == 0:
        return True
    step = 2 / (9 * degrees)
    return bool(((found / degrees) ** (1 / 3) - (1 - step)) / np.sqrt(step) <= _UNLIKELY)


def enough(sample: Sample) -> bool:
    return missing_labels(sample) == 0


def missing_labels(sample: Sample) -> int:
    """How many labels are missing at least until anything is said; 0 where there are enough. More
    of a group that has labels may not do."""
    labels = int(sample.has_label.sum())
    return max(0, LEAST_LABELS - labels, LEAST_GROUPS - int(sample.groups * (1 + _ROUNDING)))


def anchored_mean(
    sample: Sample, *, bounds: tuple[float, float] | None = None, level: float = LEVEL
) -> Anchored | None:
    """The mean of what people would say of all answers, and its interval.

    value = mean(labels) + weight * (mean of the judge over all - its mean over the labelled). The
    weight is the one of the least variance over groups, kept within [0, 1]: PPI++ writes the same
    with the judge's mean over the answers without a label. A judge that tells nothing has a weight
    near 0, and labels alone are left.

    bounds: what a label lies between, of shares (0, 1): the interval is then Wilson's for as many
    independent labels as have the same variance, which ends where the scale does; without bounds
    Student's t. Its degrees are those of the groups with labels.

    None without `enough` labels.
    """
    if not enough(sample):
        return None
    judged, weights = sample.judged, sample.weights
    everywhere = np.ones(len(judged))
    people = sample.moves(sample.labels, weights)
    judge = sample.moves(judged, everywhere) - sample.moves(judged, weights)
    weight = _best_weight(people, judge)
    rest = sample.labels - weight * judged
    value = sample.mean(rest) + weight * sample.mean(judged, everywhere)
    variance = _sum_of_squares(sample, people + weight * judge)
    quantile = _quantile(sample.groups, level)
    if bounds is None:
        half = float(quantile * np.sqrt(variance))
        low, high = value - half, value + half
    else:
        least, most = bounds
        variance += _unseen_variance(sample, rest, weight, bounds)
        value = min(max(value, least), most)
        low, high = _wilson(value, variance, bounds, quantile, level)
    return Anchored(value, low, high, int(sample.has_label.sum()), sample.groups, weight)


def by_error_rates(sample: Sample, *, level: float = LEVEL) -> ErrorRates | None:
    """The share of answers that people would call right, solved for by the judge's two rates.

    share = (q - of_wrong) / (of_right - of_wrong), where q is the share that the judge calls right.
    Labels are 0 or 1, what the judge says lies in [0, 1]. The interval is Fieller's (1954): all
    shares p for which q - p of_right - (1 - p) of_wrong is zero but for chance, by its variance
    over groups; the intervals of Lang and Reiczigel (2014, "Confidence limits for prevalence of
    disease adjusted for estimated sensitivity and specificity") held the truth in 99 % of
    simulations of a judge that is right of 60 %.

    None without `enough` labels, and for fewer than LEAST_OF_A_KIND answers that people call right,
    or wrong.
    """
    is_right = np.where(sample.labels == 1, sample.weights, 0.0)
    is_wrong = np.where(sample.labels == 0, sample.weights, 0.0)
    least = min(np.count_nonzero(is_right), np.count_nonzero(is_wrong))
    if least < LEAST_OF_A_KIND or not enough(sample):
        return None
    judged, everywhere = sample.judged, np.ones(len(sample.judged))
    of_right, of_wrong = sample.mean(judged, is_right), sample.mean(judged, is_wrong)
    above, apart = sample.mean(judged, everywhere) - of_wrong, of_right - of_wrong
    wrong_moves = sample.moves(judged, is_wrong)
    above_moves = sample.moves(judged, everywhere) - wrong_moves
    apart_moves = sample.moves(judged, is_right) - wrong_moves
    unseen_right, unseen_wrong = _unseen_rate(of_right, is_right), _unseen_rate(of_wrong, is_wrong)
    squared = _quantile(sample.groups, level) ** 2
    # a p^2 - 2 b p + c <= 0
    a = apart**2 - squared * (_sum_of_squares(sample, apart_moves) + unseen_right + unseen_wrong)
    if apart <= 0 or a <= 0:
        return ErrorRates(of_right, of_wrong, None, None, None)
    b = above * apart - squared * (_products(sample, above_moves, apart_moves) + unseen_wrong)
    c = above**2 - squared * (_sum_of_squares(sample, above_moves) + unseen_wrong)
    root = float(np.sqrt(max(b * b - a * c, 0.0)))
    value = min(max(above / apart, 0.0), 1.0)
    low, high = (min(max(float(end), 0.0), 1.0) for end in ((b - root) / a, (b + root) / a))
    return ErrorRates(of_right, of_wrong, value, min(low, value), max(high, value))


def _best_weight(people: Floats, judge: Floats) -> float:
    """That of the least variance of people + weight * judge, in [0, 1]."""
    spread = float(judge @ judge)
    return min(max(-float(people @ judge) / spread, 0.0), 1.0) if spread > _ROUNDING**2 else 0.0


def _products(sample: Sample, moves: Floats, others: Floats) -> float:
    groups = sample.groups
    return float(moves @ others) * groups / (groups - 1)


def _sum_of_squares(sample: Sample, moves: Floats) -> float:
    """The variance of what groups move by so much."""
    return _products(sample, moves, moves)


def _unseen_variance(
    sample: Sample, rest: Floats, weight: float, bounds: tuple[float, float]
) -> float:
    """What errors add that no label shows yet: _UNSEEN labels at each corner of what judge and
    people may say, of few labels more (_FEW)."""
    least, most = bounds
    middle = sample.mean(rest)
    corners = [label - weight * judged for label in bounds for judged in (least, most)]
    squares = sum((corner - middle) ** 2 for corner in corners)
    unseen = _UNSEEN * max(1.0, _FEW / int(sample.has_label.sum()))
    return unseen * float(squares) * _squares_of(sample.weights)


def _unseen_rate(rate: float, weights: Floats) -> float:
    return _UNSEEN * float(rate**2 + (1 - rate) ** 2) * _squares_of(weights / weights.sum())


def _squares_of(weights: Floats) -> float:
    """1 / n^2 for n equal weights: of the number of labels that these count for."""
    return float((weights**2).sum() ** 2)


def _quantile(groups: float, level: float) -> float:
    return float(stdtrit(max(groups - 1, 1.0), (1 + level) / 2))


def _wilson(
    value: float, variance: float, bounds: tuple[float, float], quantile: float, level: float
) -> tuple[float, float]:
    """For as many independent shares as have this variance, and for few groups (Korn and Graubard
    1998, as benchmarks.statistics.intervals)."""
    least, most = bounds
    span = most - least
    share, z = (value - least) / span, float(ndtri((1 + level) / 2))
    error = min(float(np.sqrt(variance)) / span, 0.5)
    # At an end of the scale a share's own spread says that nothing varies.
    inside = min(max(share, error), 1 - error)
    number = inside * (1 - inside) / error**2 * (z / quantile) ** 2
    spread = share * (1 - share)
    centre = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z / (1 + z**2 / number) * np.sqrt(spread / number + z**2 / (4 * number**2))
    low, high = max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)
    return least + span * float(low), least + span * float(high)
