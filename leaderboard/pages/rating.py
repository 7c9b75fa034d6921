"""The page on which a rater looks at one item after another, and the list of a rater's studies."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User

from benchmarks.protocols.base import Dimension
from benchmarks.selectors import protocol_of
from judging.clock import database_now
from judging.panel.models import Study, StudyRater
from judging.panel.studies.asking import AskedItem, choices_of, progress_of
from judging.panel.studies.raters import open_to
from leaderboard.pages.entry_questions import ShownImage, images_of, shown_image


@dataclass(frozen=True, slots=True)
class Choice:
    """`key` is the one that chooses it."""

    value: int
    word: str
    key: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A line of the page: what is asked, and what may be said."""

    slug: str
    asks: str
    choices: tuple[Choice, ...]
    lowest: str
    highest: str


@dataclass(frozen=True, slots=True)
class ItemShown:
    """Everything a browser gets of an item. `texts`: one, or two that are compared."""

    id: int
    question: str
    images: tuple[ShownImage, ...]
    missing: int
    texts: tuple[str, ...]
    truth: str


@dataclass(frozen=True, slots=True)
class RatingPage:
    study: Study
    alias: str
    number: int
    items: tuple[ItemShown, ...]
    asked: tuple[Asked, ...]
    done: int
    total: int
    instructions: tuple[str, ...]

    @property
    def item(self) -> ItemShown | None:
        return self.items[0] if self.items else None

    @property
    def is_single(self) -> bool:
        """One question with a few answers: pressing one is the vote."""
        return len(self.asked) == 1

    @property
    def is_to_go_on(self) -> bool:
        """No item is given to the rater now, and there were more than were rated: the leases of
        the others may have ended. Whoever goes on is given what there is and counted anew."""
        return not self.items and 0 < self.done < self.total

    @property
    def place(self) -> int:
        return min(self.done + 1, self.total)

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the page starts from."""
        return {"items": [asdict(item) for item in self.items], "asked": keys_of(self.asked)}


def keys_of(asked: Sequence[Asked]) -> list[dict[str, Any]]:
    return [asdict(one) for one in asked]


def rating_page(rater: StudyRater, items: Sequence[AskedItem]) -> RatingPage:
    """Needs the study with its release and benchmark."""
    study = rater.study
    panel = protocol_of(study.release).panel
    instructions = panel.INSTRUCTIONS if panel else ""
    done, total = progress_of(rater)
    return RatingPage(
        study=study,
        alias=rater.alias,
        number=rater.number,
        items=shown_items(items),
        asked=asked_of(items[0]) if items else (),
        done=done,
        total=total,
        instructions=paragraphs(instructions) + paragraphs(study.note),
    )


def paragraphs(text: str) -> tuple[str, ...]:
    blocks = text.replace("\r\n", "\n").split("\n\n")
    return tuple(block.strip() for block in blocks if block.strip())


def shown_items(items: Sequence[AskedItem]) -> tuple[ItemShown, ...]:
    """One query for all pictures."""
    pictures = images_of([item.question for item in items])
    found = []
    for item in items:
        own = pictures.get(item.question.figure_id or 0, [])
        stored = tuple(shown_image(image) for image in own if image.sha256)
        found.append(
            ItemShown(
                id=item.pk,
                question=item.question.text,
                images=stored,
                missing=len(own) - len(stored),
                texts=item.texts,
                truth=item.truth,
            )
        )
    return tuple(found)


def asked_of(item: AskedItem) -> tuple[Asked, ...]:
    compares = len(item.texts) > 1
    return tuple(asked_line(dimension, compares=compares) for dimension in item.dimensions)


def asked_line(dimension: Dimension, *, compares: bool) -> Asked:
    choices = choices_of(dimension, compares=compares)
    is_scale = not dimension.words
    lowest, highest = dimension.ends or ("", "")
    return Asked(
        slug=dimension.slug,
        asks=dimension.asks or dimension.title,
        choices=tuple(
            Choice(value, word, key_of(value if is_scale else place))
            for place, (value, word) in enumerate(choices, 1)
        ),
        lowest=lowest,
        highest=highest,
    )


def key_of(number: int) -> str:
    """The key of a digit; "x" for ten, as the Romans wrote it."""
    return "x" if number == 10 else str(number)


@dataclass(frozen=True, slots=True)
class StudyLine:
    study: Study
    done: int
    total: int


def studies_of(user: User) -> tuple[StudyLine, ...]:
    """Open studies that the account rates: a handful."""
    raters = open_to(StudyRater.objects.filter(account=user), database_now())
    return tuple(StudyLine(rater.study, *progress_of(rater)) for rater in raters)
