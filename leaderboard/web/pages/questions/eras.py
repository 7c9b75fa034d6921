"""Which era, and which part of its questions, a page about a board's questions is of."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from numpy.typing import NDArray

from benchmarks.models import Benchmark, Subtask
from leaderboard.results.boards.question_statistics import (
    MOST_ENTRIES,
    QuestionTable,
    question_table,
)
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import Era, NoSuchEraError, choose_era
from leaderboard.results.selectors.eras import stored_eras
from leaderboard.results.selectors.stored import editions_of
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.choices import Choice, query_url


@dataclass(frozen=True, slots=True)
class QuestionsOf:
    """The era whose questions a page shows, with what is stored of them; both None where no board
    of the benchmark was stored yet. `notes` say what of the address was not understood."""

    benchmark: Benchmark
    eras: tuple[Era, ...]
    era: Era | None
    table: QuestionTable | None
    asked: Asked

    @property
    def query(self) -> dict[str, str]:
        """What links carry along."""
        if self.era is None:
            return {}
        return {"release": self.era.release.slug, "judge": self.era.judge_spec.slug}


def questions_of(benchmark: Benchmark, query: QueryDict) -> QuestionsOf:
    """The era that the address names, or the first one."""
    asked = Asked(query)
    eras = stored_eras(editions_of(benchmark))
    era = asked_era(eras, asked)
    table = question_table(era.release, era.judge_spec) if era else None
    return QuestionsOf(benchmark, eras, era, table, asked)


def asked_era(eras: Sequence[Era], asked: Asked) -> Era | None:
    """The era that the address names; the first one, and a note, where there is none such."""
    try:
        return choose_era(eras, asked.text("release"), asked.text("judge"))
    except NoSuchEraError as error:
        asked.notes.append(str(error))
        return choose_era(eras)


def era_choices(eras: Sequence[Era], current: Era | None, address: str) -> list[Choice]:
    """Links to the page at that address for each era."""
    return [
        Choice(
            f"{era.release.title} · {judge_seal(era.judge_spec).label}",
            address + query_url({"release": era.release.slug, "judge": era.judge_spec.slug}),
            is_current=era == current,
        )
        for era in eras
    ]


def page_url(name: str, benchmark: Benchmark, query: Mapping[str, object]) -> str:
    kept = {key: value for key, value in query.items() if value}
    return f"{reverse(name, args=[benchmark.slug])}?{urlencode(kept)}"


def counted_sentence(table: QuestionTable) -> str:
    """Whose answers are behind the figures."""
    if table.countable > MOST_ENTRIES:
        return (
            f"Based on the first {table.entries:,} of {table.countable:,} ranked entries; "
            "duplicates counted once."
        )
    entries = "entry" if table.entries == 1 else "entries"
    return (
        f"Based on {table.entries:,} ranked {entries}; duplicates counted once, baselines left out."
    )


def subtasks_of(table: QuestionTable) -> tuple[Subtask, ...]:
    """Those that questions of the table have, in the order of the taxonomy."""
    keys = [int(key) for key in np.unique(table.subtask)]
    return tuple(Subtask.objects.filter(pk__in=keys).select_related("ability"))


def subtask_choices(
    table: QuestionTable,
    subtasks: Sequence[Subtask],
    chosen: Subtask | None,
    link: Callable[..., str],
) -> list[Choice]:
    """Links to the questions of each subtask; where two abilities have subtasks of one name, with
    the ability's before it."""
    times, counts = Counter(one.title for one in subtasks), Counter(table.subtask.tolist())
    return [
        Choice(
            one.title if times[one.title] == 1 else f"{one.ability.title}: {one.title}",
            link(subtask=one.slug),
            one == chosen,
            counts[one.pk],
        )
        for one in subtasks
    ]


def chosen_subtask(subtasks: tuple[Subtask, ...], asked: Asked) -> Subtask | None:
    """None for none, or one that there is not; nothing is said of it where a page has no subtasks,
    as of a hidden test."""
    known = {subtask.slug: subtask for subtask in subtasks}
    if not known:
        return None
    return known.get(asked.one_of("subtask", known, "There is no subtask “{}” here."))


def places_in(table: QuestionTable, subtask: Subtask | None) -> NDArray[np.int64]:
    """Of the questions of a subtask, or all, in the order of the release."""
    if subtask is None:
        return np.arange(len(table.question))
    return np.flatnonzero(table.subtask == subtask.pk)


def page_shown(
    places: NDArray[np.int64], count: int, asked: Asked
) -> tuple[NDArray[np.int64], "Page[Any]"]:
    """So many of the questions as a page has, and the page: that asked for, or the last."""
    page = page_or_last(Paginator(places, count), asked.page(), asked.notes)
    return places[max(0, page.start_index() - 1) : page.end_index()], page
