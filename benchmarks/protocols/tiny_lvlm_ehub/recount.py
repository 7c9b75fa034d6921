"""What each answer adds to the metrics of Tiny LVLM-eHub, for verify.py (Python 3.11 and NumPy
alone).

A verdict is a label by one of five prompts: 1 right, 0 wrong, -1 not readable; the labels vote.
"matched" and "guarded" are word matching as published and with guards, "pope" is yes or no as read
in an answer and "label" in its reference, "tokens" are counted for the F1 of fields, "rated" and
"people" are what people say: by dimension the sum and the number of their ratings, and whether most
of them call an answer right.
"""

import re
from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

Array = Any  # of NumPy
PROMPTS = ("prompt1", "prompt2", "prompt3", "prompt4", "prompt5")
KEYS = (
    "Most Likely Score",
    "Final Score",
    "Final Assessment Score",
    "Final Score",
    "Most Likely Score",
)
ALONE = r"[\s:*_`=]*+([01])(?:[*_`]|[^\S\n])*+\.?(?:[*_`]|[^\S\n])*+(?:\n|\Z)"


def reread(slot: str, reply: str, said: str | None, judge: Any) -> str | None:
    """The verdict of a reply, None where there is none in it. said: the reply after its thoughts,
    which version 3 read too; None where nobody can tell where they end."""
    key = KEYS[PROMPTS.index(slot)]
    if judge["parser"] == "official":
        whole = reply if key in reply else reply.replace(key.lower(), key)
        behind = [*whole.split(key), ""][1]
        return "0" if "0" in behind else "1" if "1" in behind else "-1"
    if judge["parser_version"] == "3":
        ends = [f.end() for f in re.finditer(rf"\b{key}(?![^\W\d])", reply, re.IGNORECASE)][-1:]
        found = [re.compile(ALONE).match(reply, end) for end in ends]
    else:
        begins = rf"^[ \t*_`#]*+({'|'.join(sorted({*KEYS}))})(?![^\W\d])"
        keys = [*re.finditer(begins, said or "", re.IGNORECASE | re.MULTILINE)]
        if {one[1].casefold() for one in keys} != {key.casefold()}:
            return None
        found = [re.compile(ALONE).match(said or "", one.end()) for one in keys]
    labels = {one and one[1] for one in found}
    return labels.pop() if len(labels) == 1 else None


def recount(questions: Any, answers: Any, said: Any) -> Any:
    """How many runs, (over, under, asked, judged) by metric, (function, parts, counted) of metrics
    made of others, the coverage, and what people say. said: of each run the verdicts by slot."""
    none = [None] * len(answers)
    labels = [
        list(zip(*(run.get(prompt, none) for prompt in PROMPTS), strict=True)) for run in said
    ]
    votes = np.array([[vote(five) for five in run] for run in labels], dtype=object)
    voted = np.array([[one is not None for one in run] for run in votes])
    right, bug = votes == "1", votes == "-1"
    dataset = np.array([question["subtask"] for question in questions])
    ability = np.array([question["ability"] for question in questions])
    read = [answer["readings"] for answer in answers]
    matched, guarded = (np.array([bool(r.get(n)) for r in read]) for n in ("matched", "guarded"))
    true, slugs = ability != "embodied", {}
    for slug, of in zip(dataset[true], ability[true], strict=True):
        slugs[str(slug)] = str(of)
    same, tallies = right == matched, {}
    for slug in slugs:
        here = dataset == slug
        tallies[f"cee@{slug}"] = share(right, voted & here, here)
        tallies[f"guarded@{slug}"] = share(guarded, here, here)
        tallies[f"words@{slug}"] = share(matched, here, here)
    for scope, here in {
        "": true,
        **{f"@{slug}": dataset == slug for slug in slugs},
        **{f"@{slug}": ability == slug for slug in slugs.values()},
    }.items():
        tallies[f"agree{scope}"] = share(same, voted & here, here)
    sizes = np.array([[majority(five) for five in run] for run in labels])
    for name, size in (("5_0", 5), ("4_1", 4), ("3_2", 3), ("other", 0)):
        tallies[f"split_{name}"] = share(sizes == size, voted & true, true)
    everywhere = np.broadcast_to(true, voted.shape)
    tallies["no_vote"] = share(~voted | bug, everywhere, true)
    tallies["cee_readable"] = share(right, voted & true & ~bug, true, voted & true)
    tallies |= pope_and_fields(read, dataset)
    tallies |= people(read, dataset, true, right, voted, matched)
    made = derived(slugs, tallies, sorted({str(s) for s in dataset[~true]}))
    coverage = float(voted[:, true].mean()) if true.any() else 0.0
    says = np.array([r.get("people", np.nan) for r in read], dtype=float)
    scopes = {"": true, **{f"@{s}": dataset == s for s in slugs}}
    voted_right = np.where(voted, right, np.nan)
    labelled = {f"right{s}": (here, voted_right, says, True) for s, here in scopes.items()}
    return len(said), tallies, made, coverage, labelled


def share(hits: Array, counted: Array, asked: Array, known: Array = None) -> Any:
    known = counted if known is None else known
    return hits & counted, counted, asked, asked & (known.all(axis=0) if known.ndim == 2 else known)


def vote(five: Any) -> Any:
    """The majority of at least three labels, ties to wrong; with one that is not readable the most
    frequent label, of equally frequent ones the first."""
    given = [label for label in five if label is not None]
    if len(given) < 3:
        return None
    if "-1" in given:
        return Counter(given).most_common(1)[0][0]
    return "1" if 2 * given.count("1") > len(given) else "0"


def majority(five: Any) -> int:
    return 0 if None in five or "-1" in five else max(five.count("1"), 5 - five.count("1"))


def pope_and_fields(read: Any, dataset: Array) -> Any:
    """Yes and no of POPE, and the F1 over tokens of fields: from the answers themselves."""
    said, truth = (np.array([r.get(name, "") for r in read]) for name in ("pope", "label"))
    tokens = np.array([r.get("tokens", (0, 0, 0)) for r in read]).T
    tallies: dict[str, Any] = {}
    for slug in sorted({str(s) for s in dataset[said != ""]}):
        here = dataset == slug
        yes, is_yes = (said == "yes") & here, (truth == "yes") & here
        both = 2 * (yes & is_yes), 1 * yes + is_yes, here, here
        tallies |= {
            f"pope_accuracy@{slug}": share((said == truth) & (said != "uncertain"), here, here),
            f"pope_precision@{slug}": share(is_yes, yes, here, here),
            f"pope_recall@{slug}": share(yes, is_yes, here, here),
            f"pope_f1@{slug}": both,
            f"pope_yes@{slug}": share(yes, here, here),
            f"pope_unparsed@{slug}": share(said == "uncertain", here, here),
        }
    for slug in sorted({str(s) for s in dataset[np.array(["tokens" in r for r in read])]}):
        here = dataset == slug
        shared, predicted, expected = tokens * here
        tallies[f"token_f1@{slug}"] = 2 * shared, predicted + expected, here, here
    return tallies


def people(
    read: Any, dataset: Array, true: Array, right: Array, voted: Array, matched: Array
) -> Any:
    """Ratings of plans as shares of the highest, 5; and how often each score says what people say
    of an answer."""
    asked, tallies, total = ~true, {}, np.zeros(len(true))
    first = np.zeros(len(true))
    first[np.flatnonzero(asked)[:1]] = 1  # a number, not a mean: it stands on one answer
    for slug in sorted({slug for r in read for slug in r.get("rated", {})}):
        sums, numbers = np.array([r.get("rated", {}).get(slug, (0, 0)) for r in read]).T
        tallies[f"rated@{slug}"] = sums / 5, numbers, asked, asked & (numbers > 0)
        tallies[f"ratings@{slug}"] = numbers.sum() * first, first, asked, asked
        total += numbers
    if asked.any():
        tallies["ratings"] = total.sum() * first, first, asked, asked
    labelled = np.array([r.get("people") is not None for r in read])
    say = np.array([r.get("people") is True for r in read])
    scopes = {
        f"@{s}": labelled & (dataset == s) for s in {str(s) for s in dataset[labelled & true]}
    }
    for scope, here in {"": labelled, **scopes}.items() if labelled.any() else ():
        judged = voted & here
        tallies |= {
            f"people_cee{scope}": share(right == say, judged, here),
            f"people_words{scope}": share(matched == say, here, here),
            f"right_cee{scope}": share(right, judged, here),
            f"right_people_cee{scope}": share(np.broadcast_to(say, right.shape), judged, here),
            f"right_words{scope}": share(matched, here, here),
            f"right_people{scope}": share(say, here, here),
        }
    return tallies


def derived(slugs: Any, tallies: Any, embodied: Any) -> Any:
    """Means of datasets, of capabilities and of rated dimensions, and Cohen's kappas."""
    defined = {name for name, row in tallies.items() if np.all(1 * row[1].sum(axis=-1) > 0)}
    abilities = list(dict.fromkeys(slugs.values()))
    made: dict[str, Any] = {}
    for score in ("cee", "guarded", "words"):
        names = [[f"{score}@{s}" for s in slugs if slugs[s] == a] for a in abilities]
        for ability, own in zip(abilities, names, strict=True):
            made[f"{score}@{ability}"] = mean_of([own], defined), own, ()
        if names:
            made[score] = mean_of(names, defined), list(chain(*names)), ()
    for figure in ("accuracy", "precision", "recall", "f1", "yes"):
        own = [name for name in tallies if name.startswith(f"pope_{figure}@")]
        if own:
            made[f"pope_{figure}"] = mean_of([own], defined), own, ()
    own = [name for name in tallies if name.startswith("rated@")]
    for scope in ("", "@embodied", *(f"@{slug}" for slug in embodied)) if own else ():
        made[f"rated{scope}"] = mean_of([own], defined), own, ()
    for name in sorted(defined):
        kind, at, scope = name.partition("@")
        sides = {"people_cee": "right_people_cee", "people_words": "right_people"}.get(kind)
        if sides:
            score = kind.removeprefix("people_")
            parts = [name, f"right_{score}{at}{scope}", f"{sides}{at}{scope}"]
            made[f"kappa_{score}{at}{scope}"] = kappa(parts), parts, parts[:1]
    return made


def mean_of(parts: Any, defined: Any) -> Any:
    """The mean of means; none where one of the metrics has no value. A resample without any answer
    of a dataset goes on without it."""
    is_whole = defined.issuperset(chain(*parts))

    def mean(values: Any) -> Array:
        means = known_mean([known_mean([values[name] for name in names]) for names in parts])
        return means if is_whole else np.full_like(means, np.nan)

    return mean


def known_mean(columns: Any) -> Array:
    stacked = np.array(columns, dtype=float)
    known = (~np.isnan(stacked)).sum(axis=0)
    total = np.nansum(stacked, axis=0)
    return np.divide(total, known, out=np.full_like(total, np.nan), where=known > 0)


def kappa(parts: Any) -> Any:
    def beyond_chance(values: Any) -> Array:
        observed, one, other = (np.asarray(values[name], dtype=float) for name in parts)
        chance = one * other + (1 - one) * (1 - other)
        empty = np.full_like(chance, np.nan)
        return np.divide(observed - chance, 1 - chance, out=empty, where=chance < 1)

    return beyond_chance
