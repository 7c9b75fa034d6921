"""Records of the five ability-level subsets, in the layout of the suite.

A record names its subset ("Visual_Reasoning") or the dataset of the suite it comes from; both count for the ability.
"""

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from benchmarks.protocols.base import AbilityEntry, DatasetItem, SubtaskEntry
from benchmarks.protocols.tiny_lvlm_ehub.dataset import read_suite
from benchmarks.protocols.tiny_lvlm_ehub.suite import (
    CAPABILITIES,
    EMBODIED,
    JUDGED,
    Dataset,
    Group,
    datasets_of,
    find_dataset,
    folded,
)

_SUBSET = Group("subset", "Ability-level subset", "word matching")
SUBSETS: tuple[Dataset, ...] = (
    Dataset("Visual_Perception", "Visual Perception", "perception", _SUBSET, "own", 400),
    Dataset("Visual_Knowledge_Acquisition", "Visual Knowledge Acquisition", "knowledge", _SUBSET, "own", 700),
    Dataset("Visual_Reasoning", "Visual Reasoning", "reasoning", _SUBSET, "own", 550),
    Dataset("Visual_Commonsense", "Visual Commonsense", "commonsense", _SUBSET, "own", 500),
    Dataset("Object_Hallucination", "Object Hallucination", "hallucination", _SUBSET, "own", 300),
)
_BY_NAME: Mapping[str, Dataset] = {folded(subset.slug): subset for subset in SUBSETS}

TAXONOMY: tuple[AbilityEntry, ...] = tuple(
    AbilityEntry(
        slug,
        CAPABILITIES[slug],
        tuple(
            SubtaskEntry(dataset.slug, dataset.title)
            for dataset in (*(s for s in SUBSETS if s.capability == slug), *datasets_of(slug))
        ),
    )
    for slug in JUDGED
)


def find_subset(name: str) -> Dataset | None:
    """The subset, or the dataset of the suite, of this name; no embodied one, these have no correct answers."""
    found = _BY_NAME.get(folded(name)) or find_dataset(name)
    return found if found is not None and found.capability != EMBODIED else None


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    return read_suite(stream, find_subset)
