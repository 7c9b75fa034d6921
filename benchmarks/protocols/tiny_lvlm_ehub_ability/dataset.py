"""Records of the five ability-level subsets, in the layout of the suite.

A record names its subset ("Visual_Reasoning") or the dataset of the suite it comes from; both count
for the ability.
"""

from collections.abc import Iterator
from typing import BinaryIO

from benchmarks.protocols.base import AbilityEntry, DatasetItem, SubtaskEntry
from benchmarks.protocols.tiny_lvlm_ehub.dataset import read_suite
from benchmarks.protocols.tiny_lvlm_ehub.suite import (
    CAPABILITIES,
    JUDGED,
    Catalogue,
    Dataset,
    Group,
    datasets_of,
)

_SUBSET = Group("subset", "Ability-level subset", "word matching")
SUBSETS: tuple[Dataset, ...] = (
    Dataset("Visual_Perception", "Visual Perception", "perception", _SUBSET, "own", 400),
    Dataset(
        "Visual_Knowledge_Acquisition",
        "Visual Knowledge Acquisition",
        "knowledge",
        _SUBSET,
        "own",
        700,
    ),
    Dataset("Visual_Reasoning", "Visual Reasoning", "reasoning", _SUBSET, "own", 550),
    Dataset("Visual_Commonsense", "Visual Commonsense", "commonsense", _SUBSET, "own", 500),
    Dataset("Object_Hallucination", "Object Hallucination", "hallucination", _SUBSET, "own", 300),
)
ABILITIES = Catalogue((*SUBSETS, *(dataset for slug in JUDGED for dataset in datasets_of(slug))))
"""No embodied dataset: it has no correct answers."""

TAXONOMY: tuple[AbilityEntry, ...] = tuple(
    AbilityEntry(
        slug,
        CAPABILITIES[slug],
        (
            *(SubtaskEntry(s.slug, s.title, s.records) for s in SUBSETS if s.capability == slug),
            *(SubtaskEntry(dataset.slug, dataset.title) for dataset in datasets_of(slug)),
        ),
    )
    for slug in JUDGED
)


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    return read_suite(stream, ABILITIES)
