"""The 42 datasets of the Tiny LVLM-eHub suite: six capabilities, their task groups, prompts, sizes
and metrics.

Names, groups and sizes as in the paper (arXiv 2308.03729, tables 1 to 6) and its code. Which
columns of table 3 are KGID its flattened header does not show; the last two is the reading used
here.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.protocols.base import AbilityEntry, SubtaskEntry


@dataclass(frozen=True, slots=True)
class Group:
    """A task group: its short name in the paper, what it stands for, and the metric the paper names
    for it."""

    short: str
    title: str
    metric: str


IMAGE_CLASSIFICATION = Group("ImgCls", "Image classification", "accuracy")
OBJECT_COUNTING = Group("OC", "Object counting", "accuracy")
MULTI_CLASS = Group("MCI", "Multi-class identification", "accuracy")
OCR = Group("OCR", "Text recognition", "word accuracy")
KIE = Group("KIE", "Key information extraction", "entity-level F1, printed as accuracy")
VQA = Group("VQA", "Visual question answering", "accuracy")
KGID = Group("KGID", "Knowledge-grounded image description", "accuracy")
IMAGENET_VC = Group("ImageNetVC", "Visual commonsense", "accuracy")
POPE = Group("POPE", "Object hallucination", "accuracy, precision, recall, yes ratio")
VIRTUAL_HOME = Group("VirtualHome", "Embodied planning", "five ratings by people")

PROMPTS: Mapping[str, str] = {
    "main-object": "one instruction for all: name the class of the main object",
    "flower": "one question for all: which breed the flower is",
    "pet": "one question for all: which breed the pet is",
    "reading": "one question for all: what is written",
    "fields": "a fixed question for each of company, date, address and total",
    "form": "asks for the value beside a named field of the form",
    "options": "the dataset's question and the options as a dashed list to choose the best from",
    "context-options": "a context, the dataset's question and the options as a dashed list",
    "yes-no": "the dataset's question, a choice of Yes and No, and a fixed form for the answer",
    "caption": (
        "whether a quoted caption fits the picture, a choice of Yes and No, and a fixed form for "
        "the answer"
    ),
    "own": "the dataset's own question",
    "plan": "a task to be planned step by step",
}
"""How a model is asked, by the name that stands in `Dataset.prompt`. Imported records hold the
question itself."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """`slug` is its name in the code and in files, `title` its name in the tables, `prompt` a name
    in PROMPTS. `records` of the official sample."""

    slug: str
    title: str
    capability: str
    group: Group
    prompt: str
    records: int = 50


def _of(capability: str, group: Group, prompt: str, *names: str) -> tuple[Dataset, ...]:
    """`names`: "IC15", or "OCRVQA=OCR-VQA" where the tables write another name than the code."""
    pairs = (name.partition("=") for name in names)
    return tuple(
        Dataset(slug, title or slug, capability, group, prompt) for slug, _, title in pairs
    )


DATASETS: tuple[Dataset, ...] = (
    *_of("perception", IMAGE_CLASSIFICATION, "main-object", "ImageNet=ImageNet1K", "CIFAR10"),
    *_of("perception", IMAGE_CLASSIFICATION, "pet", "OxfordIIITPet=Pets37"),
    *_of("perception", IMAGE_CLASSIFICATION, "flower", "Flowers102"),
    *_of("perception", OBJECT_COUNTING, "own", "MSCOCO_OC=COCO (OC)", "VCR1_OC=VCR (OC)"),
    *_of("perception", MULTI_CLASS, "yes-no", "MSCOCO_MCI=COCO (MCI)", "VCR1_MCI=VCR (MCI)"),
    *_of(
        "knowledge",
        OCR,
        "reading",
        "IIIT5K",
        "IC13",
        "IC15",
        "Total-Text",
        "CUTE80",
        "SVT",
        "SVTP",
        "COCO-Text",
    ),
    *_of("knowledge", OCR, "reading", "WordArt", "CTW", "HOST", "WOST"),
    *_of("knowledge", KIE, "fields", "SROIE"),
    *_of("knowledge", KIE, "form", "FUNSD"),
    *_of("reasoning", VQA, "own", "DocVQA", "TextVQA", "STVQA", "OCRVQA=OCR-VQA", "OKVQA", "GQA"),
    *_of("reasoning", VQA, "options", "IconQA"),
    *_of("reasoning", VQA, "caption", "VSR"),
    *_of("reasoning", VQA, "own", "WHOOPS"),
    *_of("reasoning", KGID, "context-options", "ScienceQA"),
    *_of("reasoning", KGID, "own", "VizWiz"),
    *_of(
        "commonsense",
        IMAGENET_VC,
        "own",
        "ImageNetVC_color=ImageNetVC Color",
        "ImageNetVC_shape=ImageNetVC Shape",
    ),
    *_of("commonsense", IMAGENET_VC, "own", "ImageNetVC_material=ImageNetVC Material"),
    *_of("commonsense", IMAGENET_VC, "own", "ImageNetVC_component=ImageNetVC Component"),
    *_of("commonsense", IMAGENET_VC, "own", "ImageNetVC_others=ImageNetVC Others"),
    *_of(
        "hallucination",
        POPE,
        "own",
        "MSCOCO_pope_random=MSCOCO-Random",
        "MSCOCO_pope_popular=MSCOCO-Popular",
    ),
    *_of("hallucination", POPE, "own", "MSCOCO_pope_adversarial=MSCOCO-Adversarial"),
    Dataset("VirtualHome", "VirtualHome", "embodied", VIRTUAL_HOME, "plan", 6),
)

CAPABILITIES: Mapping[str, str] = {
    "perception": "Visual perception",
    "knowledge": "Visual knowledge acquisition",
    "reasoning": "Visual reasoning",
    "commonsense": "Visual commonsense",
    "hallucination": "Object hallucination",
    "embodied": "Embodied intelligence",
}
EMBODIED = "embodied"
JUDGED = tuple(slug for slug in CAPABILITIES if slug != EMBODIED)
"""The capabilities whose answers have a reference. Embodied plans are rated by people."""


def datasets_of(capability: str) -> tuple[Dataset, ...]:
    return tuple(dataset for dataset in DATASETS if dataset.capability == capability)


TAXONOMY: tuple[AbilityEntry, ...] = tuple(
    AbilityEntry(
        slug, title, tuple(SubtaskEntry(d.slug, d.title, d.records) for d in datasets_of(slug))
    )
    for slug, title in CAPABILITIES.items()
)

BY_SLUG: Mapping[str, Dataset] = {dataset.slug: dataset for dataset in DATASETS}


def folded(name: str) -> str:
    """ "COCO (OC)" -> "cocooc": what is left of a name without case, blanks and marks."""
    return re.sub(r"[\W_]+", "", name).casefold()


_IN_SAMPLING_LISTS = {"WHOOPSVQA": "WHOOPS", "ScienceQAIMG": "ScienceQA"}


class Catalogue:
    """The datasets a benchmark reads, by their names in code, tables and sampling lists, in
    whatever case."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = tuple(datasets)
        by_slug = {dataset.slug: dataset for dataset in datasets}
        self._by_name = {
            **{folded(dataset.title): dataset for dataset in datasets},
            **{folded(dataset.slug): dataset for dataset in datasets},
            **{folded(name): by_slug[slug] for name, slug in _IN_SAMPLING_LISTS.items()},
        }

    def find(self, name: str) -> Dataset | None:
        return self._by_name.get(folded(name))

    def closest(self, name: str) -> Dataset | None:
        """The dataset whose name is written most like this one; None where none is near."""
        close = difflib.get_close_matches(folded(name), list(self._by_name), 1)
        return self._by_name[close[0]] if close else None


SUITE = Catalogue(DATASETS)
find_dataset = SUITE.find
