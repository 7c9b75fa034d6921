"""What the address of a comparison asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from leaderboard.web.board.asked import MOST_LETTERS, Asked, plain
from leaderboard.web.board.choices import MOST_CHOSEN, id_of, query_url

MOST_NAMED = 100
"""Names in one address that are looked at."""
OFFERED = 20
"""First entries of a board that can be ticked; a search finds any other."""


@dataclass(frozen=True, slots=True)
class CompareChoices:
    """`asked`: ids of entries and slugs of models, two to six of them if there is something to
    compare. `search`: words of a model to add. won, lost: places among the compared, from 1: of
    whose questions the list is; `lists_questions`: the address asks for that list. `notes` say what
    of the address was not understood."""

    asked: tuple[UUID | str, ...]
    benchmark: str = ""
    release: str = ""
    judge: str = ""
    search: str = ""
    won: int = 1
    lost: int = 2
    page: int = 1
    lists_questions: bool = False
    notes: tuple[str, ...] = ()

    def url(self, **changes: object) -> str:
        query: dict[str, str | Sequence[str]] = {
            "m": [str(one) for one in self.asked],
            "benchmark": self.benchmark,
            "release": self.release,
            "judge": self.judge,
            "won": str(self.won) if (self.won, self.lost) != (1, 2) else "",
            "lost": str(self.lost) if (self.won, self.lost) != (1, 2) else "",
        }
        query |= {k: v if isinstance(v, list) else str(v) for k, v in changes.items()}
        return f"{reverse('compare')}{query_url(query)}"


def compare_choices(query: QueryDict) -> CompareChoices:
    address = Asked(query)
    named = [plain(text[:MOST_LETTERS]) for text in query.getlist("m")[:MOST_NAMED]]
    asked = tuple(dict.fromkeys(id_of(name) or name for name in named if name))
    if len(asked) > MOST_CHOSEN:
        address.notes.append(
            f"At most {MOST_CHOSEN} models can be compared; of the {len(asked)} named, these are "
            f"the first."
        )
    won, lost = number_of(query, "won", 1), number_of(query, "lost", 2)
    return CompareChoices(
        asked=asked[:MOST_CHOSEN],
        benchmark=address.text("benchmark"),
        release=address.text("release"),
        judge=address.text("judge"),
        search=address.text("q"),
        won=won if won != lost else 1,
        lost=lost if won != lost else 2,
        page=address.page(),
        lists_questions=any(name in query for name in ("won", "lost", "page")),
        notes=tuple(address.notes),
    )


def number_of(query: QueryDict, name: str, default: int) -> int:
    asked = query.get(name, "")
    is_one = len(asked) == 1 and asked.isascii() and asked.isdigit()
    return int(asked) if is_one and 1 <= int(asked) <= MOST_CHOSEN else default
