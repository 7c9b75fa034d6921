"""What the Tiny LVLM-eHub board shows: its columns, what each one means, and the printed figures
beside.

The board is read by one of four measures: ensemble judging (CEE), word matching with guards, word
matching as published, or CEE and the latter side by side.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from benchmarks.protocols.base import (
    FROM_ZERO,
    Bars,
    Board,
    BoardTable,
    Chart,
    ColumnGroup,
    ColumnSet,
    Heatmap,
    Measure,
    Metric,
    Radar,
    StackedBar,
)
from benchmarks.protocols.base.anchoring import (
    HOW_ANCHORED,
    MEASURE,
    anchored,
    figure_name,
    human_anchored,
    labels_column,
    rates_columns,
)
from benchmarks.protocols.published import read_published
from benchmarks.protocols.tiny_lvlm_ehub.panel import RATED
from benchmarks.protocols.tiny_lvlm_ehub.suite import (
    CAPABILITIES,
    DATASETS,
    EMBODIED,
    JUDGED,
    KIE,
    OCR,
    POPE,
    PROMPTS,
    Dataset,
    datasets_of,
)

CEE, GUARDED, WORDS, BOTH = "cee", "guarded", "words", "both"


def _percent(
    name: str,
    title: str,
    about: str,
    empty: str = "nothing to count",
    higher_is_better: bool | None = True,
) -> Metric:
    return Metric(name, title, about, higher_is_better, "percent", 1, empty)


# --- the two scores -------------------------------------------------------------------------------

_NO_VOTE = "no answer has a vote"

OVERALL = _percent(
    CEE,
    "Overall",
    "Mean, by ensemble judging, of the release's capabilities that have correct answers: five in "
    "the whole suite (ours: the paper prints no overall score). Embodied plans are rated by people "
    "and shown separately.",
    _NO_VOTE,
)
OVERALL_WORDS = _percent(
    WORDS,
    "Overall, words as published",
    "Mean of the same capabilities by word matching as published (the mean is ours).",
    "there is no answer",
)
OVERALL_GUARDED = _percent(
    GUARDED,
    "Overall, guarded words",
    "Mean of the same capabilities by word matching with guards (ours).",
    "there is no answer",
)
AGREE = _percent(
    "agree",
    "Agreement",
    "Share of answers that ensemble judging and word matching as published call the same (ours).",
    _NO_VOTE,
    None,
)

_CEE_CAPABILITIES = tuple(
    _percent(
        f"{CEE}@{slug}",
        CAPABILITIES[slug],
        "Unweighted mean of its datasets by ensemble judging (paper, tables 1 to 5).",
        "a dataset of it has no vote",
    )
    for slug in JUDGED
)
_WORDS_CAPABILITIES = tuple(
    _percent(
        f"{WORDS}@{slug}",
        f"{CAPABILITIES[slug]}, words as published",
        "Unweighted mean of its datasets by word matching as published.",
    )
    for slug in JUDGED
)
_GUARDED_CAPABILITIES = tuple(
    _percent(
        f"{GUARDED}@{slug}",
        f"{CAPABILITIES[slug]}, guarded words",
        "Unweighted mean of its datasets by word matching with guards (ours).",
    )
    for slug in JUDGED
)
_AGREE_CAPABILITIES = tuple(
    _percent(
        f"agree@{slug}",
        f"{CAPABILITIES[slug]}, agreement",
        f"{AGREE.about} Answers pooled.",
        _NO_VOTE,
        None,
    )
    for slug in JUDGED
)
_WITH_TRUTH = tuple(dataset for dataset in DATASETS if dataset.capability != EMBODIED)
_CEE_DATASETS = {
    d.slug: _percent(
        f"{CEE}@{d.slug}",
        d.title,
        f"{d.group.title}: share of answers that the five prompts vote right. The paper's metric: "
        f"{d.group.metric}. Prompt for the models: {PROMPTS[d.prompt]}.",
        _NO_VOTE,
    )
    for d in _WITH_TRUTH
}
_WORDS_DATASETS = {
    d.slug: _percent(
        f"{WORDS}@{d.slug}",
        f"{d.title}, words as published",
        f"{d.group.title}: share of answers in which a correct answer occurs as whole words"
        f"{' (the word accuracy of OCR)' if d.group == OCR else ''}.",
    )
    for d in _WITH_TRUTH
}
_GUARDED_DATASETS = {
    d.slug: _percent(
        f"{GUARDED}@{d.slug}",
        f"{d.title}, guarded words",
        f"{d.group.title}: share of answers in which a correct answer is found by word matching "
        "with guards (ours).",
    )
    for d in _WITH_TRUTH
}
_AGREE_DATASETS = {
    d.slug: _percent(f"agree@{d.slug}", f"{d.title}, agreement", AGREE.about, _NO_VOTE, None)
    for d in _WITH_TRUTH
}

# --- how far to trust the vote --------------------------------------------------------------------

_SPLITS = tuple(
    _percent(f"split_{name}", title, about, _NO_VOTE, better)
    for name, title, about, better in (
        ("5_0", "5 to 0", "Share of votes on which all five prompts agree (ours).", None),
        ("4_1", "4 to 1", "Share of votes with one dissenting prompt (ours).", None),
        ("3_2", "3 to 2", "Share of votes decided by one prompt (ours).", None),
        ("other", "Incomplete", "Share of votes with a label missing or unreadable (ours).", None),
    )
)
NO_VOTE = _percent(
    "no_vote",
    "No vote",
    "Share of answers without a readable vote. With the strict parser, fewer than three labels "
    "are readable; with the official one, the vote is “unreadable”.",
    higher_is_better=False,
)
CEE_READABLE = _percent(
    "cee_readable",
    "Right, readable votes",
    "Right votes among the readable ones, all answers pooled (the second of the two accuracies of "
    "the official script).",
    _NO_VOTE,
)

# --- POPE, key information, embodied --------------------------------------------------------------

_POPE_FIGURES: Mapping[str, tuple[str, str, bool | None]] = {
    "accuracy": (
        "accuracy",
        "Share of all rows whose answer is read as the true one. “Neither” counts as wrong.",
        True,
    ),
    "precision": ("precision", "Share of the answers read as yes whose truth is yes.", True),
    "recall": ("recall", "Share of the rows whose truth is yes that are read as yes.", True),
    "f1": ("F1", "Harmonic mean of precision and recall.", True),
    "yes": ("yes ratio", "Share of all rows read as yes; one half is balanced.", None),
    "unparsed": ("neither", "Share of all rows read as neither yes nor no.", False),
}
_POPE_DATASETS = tuple(dataset for dataset in DATASETS if dataset.group == POPE)


def _pope_columns(suffix: str, place: str, figures: Iterable[str]) -> tuple[Metric, ...]:
    """A metric per figure, of one dataset or, with no suffix, the mean of the three."""
    mean = "" if suffix else " Mean of the three sets."
    return tuple(
        _percent(
            f"pope_{figure}{suffix}",
            f"{place} {title}",
            f"{about}{mean}",
            "no answer is read as yes" if figure == "precision" else "nothing to count",
            better,
        )
        for figure in figures
        for title, about, better in (_POPE_FIGURES[figure],)
    )


_POPE_MEANS = _pope_columns(
    "", "Mean", [figure for figure in _POPE_FIGURES if figure != "unparsed"]
)
_TOKEN_F1 = {
    d.slug: _percent(
        f"token_f1@{d.slug}",
        f"{d.title}, token F1",
        "Micro F1 over whitespace tokens, case-sensitive (the parent suite's measure; the paper "
        "prints accuracy).",
    )
    for d in DATASETS
    if d.group == KIE
}
RATED_MEAN = replace(
    _percent(
        "rated",
        CAPABILITIES[EMBODIED],
        "Mean of the five dimensions that people rate (paper, table 6).",
        "not rated on all five dimensions",
    ),
    bounds=(min(dimension.low / dimension.high for dimension in RATED), 1.0),
)
_RATED = tuple(
    replace(
        _percent(
            f"rated@{dimension.slug}",
            dimension.title,
            f"Mean of people's ratings from {dimension.low} to {dimension.high}, times 20: 20 is "
            "the lowest. The paper rounds means to two decimals first; here they are not rounded.",
            "nobody rated it",
        ),
        bounds=(dimension.low / dimension.high, 1.0),
    )
    for dimension in RATED
)
_RATED_SCOPES = tuple(
    replace(RATED_MEAN, name=f"{RATED_MEAN.name}@{slug}")
    for slug in (EMBODIED, *(dataset.slug for dataset in datasets_of(EMBODIED)))
)


def _ratings(suffix: str, title: str, about: str) -> Metric:
    return Metric(
        f"ratings{suffix}", title, about, None, "score", 0, bounds=FROM_ZERO, is_count=True
    )


_RATINGS = (
    _ratings(
        "", "All ratings", "How many ratings people gave: plans times dimensions times raters."
    ),
    *(
        _ratings(
            f"@{dimension.slug}",
            f"{dimension.title}, ratings",
            "How many ratings the mean is made of.",
        )
        for dimension in RATED
    ),
)

# --- agreement with people ------------------------------------------------------------------------

_NO_LABEL = "people labelled none of these answers"
PEOPLE_CEE = _percent(
    "people_cee",
    "CEE and people",
    "Share of labelled answers that ensemble judging calls right or wrong as people do (paper, "
    "table 7).",
    _NO_LABEL,
)
PEOPLE_WORDS = _percent(
    "people_words",
    "Word matching and people",
    "Share of labelled answers that word matching calls right or wrong as people do (paper, table "
    "7).",
    _NO_LABEL,
)
_KAPPAS = tuple(
    Metric(
        f"kappa_{name}",
        f"Kappa, {title}",
        f"Cohen's kappa of {title} and people: agreement beyond what chance gives.",
        True,
        "ratio",
        2,
        "undefined: both always say the same",
    )
    for name, title in (("cee", "CEE"), ("words", "word matching"))
)
_RIGHT = tuple(
    _percent(f"right_{name}", title, f"{title}, of the labelled answers.", _NO_LABEL, None)
    for name, title in (
        ("people", "Called right by people"),
        ("people_cee", "Called right by people, with a vote"),
        ("cee", "Called right by CEE"),
        ("words", "Called right by word matching"),
    )
)
_PEOPLE_DATASETS = tuple(
    (
        d,
        (
            _percent(f"people_cee@{d.slug}", f"{d.title}, CEE", PEOPLE_CEE.about, _NO_LABEL),
            _percent(f"people_words@{d.slug}", f"{d.title}, words", PEOPLE_WORDS.about, _NO_LABEL),
        ),
    )
    for d in _WITH_TRUTH
)
_ON_DATASETS = tuple(
    replace(metric, name=f"{metric.name}@{d.slug}", title=f"{d.title}, {metric.title}")
    for d in _WITH_TRUTH
    for metric in (*_KAPPAS, *_RIGHT)
)

# --- the tables -----------------------------------------------------------------------------------

_TRUST = (NO_VOTE, CEE_READABLE)
_OVERVIEW = (
    BoardTable(
        "overview",
        "Overview",
        "Five prompts judge every answer against the correct one and vote. A capability is the "
        "unweighted mean of its datasets; Overall is the mean of the judged capabilities in "
        "the release.",
        (
            ColumnGroup("Ranking", (OVERALL,)),
            ColumnGroup("Capabilities", _CEE_CAPABILITIES),
            ColumnGroup("Rated by people", (RATED_MEAN,)),
        ),
        measure=CEE,
    ),
    BoardTable(
        "overview-guarded",
        "Overview",
        "Like the published word matching, with guards: the question is first removed from the "
        "answer; an answer to a yes/no question must commit to yes or no; in a long answer only "
        "the first and last fifty words are searched; and a number in a list of many does not "
        "count. No judge takes part.",
        (
            ColumnGroup("Overall", (OVERALL_GUARDED,)),
            ColumnGroup("Capabilities", _GUARDED_CAPABILITIES),
            ColumnGroup("Rated by people", (RATED_MEAN,)),
        ),
        measure=GUARDED,
    ),
    BoardTable(
        "overview-words",
        "Overview",
        "An answer counts as right where a correct answer occurs in it as whole words, after the "
        "official normalisation, quirks included: “yes and no” is right whatever was asked. No "
        "judge takes part.",
        (
            ColumnGroup("Overall", (OVERALL_WORDS,)),
            ColumnGroup("Capabilities", _WORDS_CAPABILITIES),
            ColumnGroup("Rated by people", (RATED_MEAN,)),
        ),
        measure=WORDS,
    ),
    BoardTable(
        "overview-both",
        "Overview",
        "Both scores of the same answers, and how often they agree.",
        (
            ColumnGroup("Overall", (OVERALL, OVERALL_WORDS, AGREE)),
            *(
                ColumnGroup(CAPABILITIES[slug], columns)
                for slug, columns in zip(
                    JUDGED,
                    zip(_CEE_CAPABILITIES, _WORDS_CAPABILITIES, _AGREE_CAPABILITIES, strict=True),
                    strict=True,
                )
            ),
        ),
        measure=BOTH,
        sets=(
            ColumnSet(
                "agreement",
                "Both scores and their agreement",
                (OVERALL, OVERALL_WORDS, AGREE, *_AGREE_CAPABILITIES),
            ),
        ),
    ),
)


def _by_group(capability: str, columns: Mapping[str, Metric]) -> Iterator[ColumnGroup]:
    for group, datasets in groupby(datasets_of(capability), key=lambda dataset: dataset.group):
        yield ColumnGroup(
            f"{group.title} ({group.short})", tuple(columns[dataset.slug] for dataset in datasets)
        )


def _side_by_side(datasets: Iterable[Dataset]) -> Iterator[ColumnGroup]:
    for d in datasets:
        yield ColumnGroup(
            d.title, (_CEE_DATASETS[d.slug], _WORDS_DATASETS[d.slug], _AGREE_DATASETS[d.slug])
        )


def _dataset_sets(
    columns: Mapping[str, Metric],
    means: Mapping[str, Metric],
    token_f1: tuple[Metric, ...],
) -> Iterator[ColumnSet]:
    """A set per capability; what reads text in pictures is too wide for a page with key information
    beside it."""
    for slug in JUDGED:
        first = (means[slug],) if slug in means else ()
        by_group = {
            group: tuple(columns[d.slug] for d in datasets)
            for group, datasets in groupby(datasets_of(slug), key=lambda dataset: dataset.group)
        }
        apart = by_group.pop(KIE, ())
        together = tuple(metric for metrics in by_group.values() for metric in metrics)
        yield ColumnSet(slug, CAPABILITIES[slug], (*first, *together))
        if apart:
            yield ColumnSet("key-information", KIE.title, (*apart, *token_f1))


_DATASETS_ABOUT = (
    "One column per dataset, with fifty records each in the official suite: check the interval "
    "before the value. "
)


def _dataset_table(
    measure: str, about: str, columns: Mapping[str, Metric], means: tuple[Metric, ...]
) -> BoardTable:
    suffix = "" if measure == CEE else f"-{measure}"
    groups = []
    for slug, mean in zip(JUDGED, means, strict=True):
        groups += [ColumnGroup(CAPABILITIES[slug], (mean,)), *_by_group(slug, columns)]
    return BoardTable(
        f"datasets{suffix}",
        "Datasets",
        f"{_DATASETS_ABOUT}{about}",
        (*groups, ColumnGroup("Token F1", tuple(_TOKEN_F1.values()))),
        measure=measure,
        sets=tuple(
            _dataset_sets(columns, dict(zip(JUDGED, means, strict=True)), tuple(_TOKEN_F1.values()))
        ),
    )


_DATASET_TABLES = (
    _dataset_table(CEE, "Share of answers voted right.", _CEE_DATASETS, _CEE_CAPABILITIES),
    _dataset_table(
        GUARDED,
        "Share of answers in which a correct answer is found.",
        _GUARDED_DATASETS,
        _GUARDED_CAPABILITIES,
    ),
    _dataset_table(
        WORDS,
        "Share of answers in which a correct answer occurs as whole words.",
        _WORDS_DATASETS,
        _WORDS_CAPABILITIES,
    ),
    BoardTable(
        "datasets-both",
        "Datasets",
        f"{_DATASETS_ABOUT}Ensemble judging, word matching as published, and how often they agree.",
        tuple(_side_by_side(_WITH_TRUTH)),
        measure=BOTH,
        sets=tuple(_dataset_sets(_AGREE_DATASETS, {}, ())),
    ),
)


def _diagnosis_table(measure: str) -> BoardTable:
    """The votes, where they are shown; POPE, whose questions tell a bias; and people's opinion."""
    by_votes = measure in (CEE, BOTH)
    agreement = (PEOPLE_CEE, PEOPLE_WORDS, *_KAPPAS)
    pope = tuple(
        (
            d.title,
            _pope_columns(f"@{d.slug}", d.title.removeprefix("MSCOCO-"), _POPE_FIGURES),
            d.slug,
        )
        for d in _POPE_DATASETS
    )
    votes = (ColumnGroup("Votes", _TRUST),) if by_votes else ()
    return BoardTable(
        "diagnosis" if measure == CEE else f"diagnosis-{measure}",
        "Bias and diagnosis",
        "How the votes split, whether yes comes too often, and how far the scores agree with "
        "people. For POPE, yes or no is read from the answer itself; the paper prints its figures "
        "without code, so the denominators here are ours. People called some answers right or "
        "wrong: in the paper about 250 answers per model, from five datasets.",
        (
            *votes,
            ColumnGroup("Agreement with people", agreement),
            ColumnGroup("POPE, mean of three", _POPE_MEANS),
            *(ColumnGroup(title, columns) for title, columns, _ in pope),
            *(ColumnGroup(f"{d.title}, agreement", columns) for d, columns in _PEOPLE_DATASETS),
        ),
        bars=(
            StackedBar(
                "How the five prompts split",
                tuple((metric.name, metric.title) for metric in _SPLITS),
            ),
        )
        if by_votes
        else (),
        measure=measure,
        sets=(
            ColumnSet(
                "main",
                "Votes, POPE and people" if by_votes else "POPE and people",
                (*(_TRUST if by_votes else ()), *_POPE_MEANS[:1], _POPE_MEANS[-1], *agreement[:2]),
            ),
            ColumnSet("pope", "POPE, mean of three", _POPE_MEANS),
            *(ColumnSet(slug.rpartition("/")[2], title, columns) for title, columns, slug in pope),
            ColumnSet("people", "Agreement with people", agreement),
        ),
    )


_HOW_RIGHT = (
    "People label single answers. The anchored score is the share of right answers among all "
    "questions with a correct answer, each counting the same, and in each dataset with enough "
    "labels. Overall and the capabilities are means of datasets and have no human-anchored value: "
    "that would need enough labels for every dataset."
)
JUDGED_RIGHT = _percent(
    figure_name("judged", "right"),
    "Right, judged",
    "Share of answers that the five prompts vote right, every answer counting alike (ours).",
    _NO_VOTE,
)
ANCHORED_RIGHT = anchored(
    JUDGED_RIGHT,
    "right",
    "Right, human-anchored",
    "Share of answers that people would call right, every answer counting alike: the judge's "
    "share with its error taken out by the labels people gave to some answers of the entry (ours).",
)
_ANCHORED_DATASETS = tuple(
    anchored(
        _CEE_DATASETS[d.slug],
        f"right@{d.slug}",
        f"{d.title}, human-anchored",
        f"{ANCHORED_RIGHT.about} Over the answers of {d.title}.",
    )
    for d in _WITH_TRUTH
)
ANCHORED_TABLE = BoardTable(
    MEASURE,
    "Human-anchored",
    "The share of right answers with the judge's error taken out, beside the plain one. "
    f"{_HOW_RIGHT}",
    (
        ColumnGroup("Human-anchored", (ANCHORED_RIGHT,)),
        ColumnGroup("Judge alone", (JUDGED_RIGHT, OVERALL)),
        ColumnGroup(
            "Human labels used", (labels_column("right"), *rates_columns("right", "Right"))
        ),
        ColumnGroup("Datasets", _ANCHORED_DATASETS),
    ),
    measure=MEASURE,
    sets=(
        ColumnSet(
            "main",
            "All answers",
            (
                ANCHORED_RIGHT,
                JUDGED_RIGHT,
                labels_column("right"),
                *rates_columns("right", "Right"),
            ),
        ),
        ColumnSet("datasets", "Datasets", _ANCHORED_DATASETS),
    ),
)
EMBODIED_TABLE = BoardTable(
    "embodied",
    CAPABILITIES[EMBODIED],
    "Plans for household tasks, rated by people on five dimensions. No judge takes part, and no "
    "correct answer exists.",
    (
        ColumnGroup("Mean", (RATED_MEAN,)),
        ColumnGroup("Dimensions", _RATED),
        ColumnGroup("Number of ratings", _RATINGS),
    ),
    sets=(ColumnSet("means", "Means", (RATED_MEAN, *_RATED, _RATINGS[0])),),
)

_HEATMAP = {
    measure: tuple(
        ColumnGroup(
            CAPABILITIES[slug], tuple(columns[dataset.slug] for dataset in datasets_of(slug))
        )
        for slug in JUDGED
    )
    for measure, columns in (
        (CEE, _CEE_DATASETS),
        (GUARDED, _GUARDED_DATASETS),
        (WORDS, _WORDS_DATASETS),
    )
}


def _charts() -> Iterator[Chart]:
    """By each score the capabilities as bars, as in the paper, and as a radar, and a map of the
    datasets. Embodied plans stand beside all scores."""
    for measure, suffix, wording, capabilities in (
        (CEE, "", "ensemble judging", _CEE_CAPABILITIES),
        (GUARDED, "-guarded", "word matching with guards", _GUARDED_CAPABILITIES),
        (WORDS, "-words", "word matching as published", _WORDS_CAPABILITIES),
    ):
        by = f", {wording}" if suffix else ""
        about = f"Mean by capability, {wording}; embodied plans as people rate them."
        groups = (ColumnGroup("Capabilities", (*capabilities, RATED_MEAN)),)
        yield Bars(
            f"capability-bars{suffix}", f"Capabilities{by}", about, groups, 0.0, 1.0, measure
        )
        yield Radar(
            f"capabilities{suffix}", f"Capability radar{by}", about, groups, 0.0, 1.0, measure
        )
        yield Heatmap(
            f"dataset-map{suffix}",
            "Datasets by model",
            f"{wording.capitalize()} by dataset.",
            _HEATMAP[measure],
            0.0,
            1.0,
            measure,
        )


BOARD = Board(
    summary=(
        "Short questions from 42 datasets in six capabilities, from reading a sign to planning a "
        "household task."
    ),
    how=(
        "The judge sees the question, the correct answer and the model's answer, never the "
        "picture. Five prompts, of two slightly different rules, each say right or wrong (ChatGPT "
        "Ensemble Evaluation, CEE); the majority decides, if at least three replies can be read. "
        "The board also shows how the five split. Word matching, the usual alternative, is shown "
        "too: it finds a correct answer only in the same words, and in long answers by accident. "
        "As published, it accepts an answer that lists everything, so the board can also be read "
        "by word matching with guards: the question is removed, the answer must commit to yes or "
        "no, and only its start and end are searched. The offline rules use these guards.\n"
        "\n"
        "A dataset's value is the share of right answers, a capability's the unweighted mean of "
        "its datasets. The overall score is ours, the mean of the capabilities with correct "
        "answers: five, or as many of them as the release has. Embodied plans are rated by people "
        "on five dimensions. An entry with a vote on less than 99 % of these answers is not "
        "ranked; an empty answer is wrong without a call.\n"
        "\n"
        "Where people have called answers right or wrong, the board shows how often each of the "
        "two scores agrees with them.\n"
        "\n"
        f"{HOW_ANCHORED} {_HOW_RIGHT} The majority of an answer's raters decides; a tie or “it "
        "cannot be told” gives no label."
    ),
    ranking=OVERALL.name,
    min_coverage=0.99,
    tables=(
        *_OVERVIEW,
        *_DATASET_TABLES,
        *(_diagnosis_table(measure) for measure in (CEE, GUARDED, WORDS, BOTH)),
        ANCHORED_TABLE,
        EMBODIED_TABLE,
    ),
    published=read_published(Path(__file__).parent),
    charts=tuple(_charts()),
    measures=(
        Measure(
            CEE, "Ensemble judging (CEE)", "Five prompts vote on the meaning of each answer.", CEE
        ),
        Measure(
            GUARDED,
            "Word matching",
            "Counts an answer as right if it contains a correct answer and does not simply list "
            "all options. No judge.",
            GUARDED,
        ),
        Measure(
            WORDS,
            "Word matching, as published",
            "Counts an answer as right if a correct answer occurs in it as whole words, whatever "
            "else it says. No judge.",
            WORDS,
        ),
        Measure(
            BOTH,
            "Ensemble and word matching",
            "CEE and word matching as published, with their agreement.",
            CEE,
        ),
        human_anchored(ANCHORED_RIGHT),
    ),
    agreement=(PEOPLE_CEE, PEOPLE_WORDS, *_KAPPAS),
    reliability=(OVERALL, *_SPLITS, NO_VOTE),
)

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (*BOARD.metrics(), *_SPLITS, *_RIGHT, *_ON_DATASETS, *_RATED_SCOPES)
}
