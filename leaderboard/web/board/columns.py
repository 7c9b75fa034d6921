"""Which columns of a table are shown: those a reader asked for, else those that are read together.

An address names them in `columns`: "all", the slug of a set, or names of metrics, joined by commas
or in fields of their own, as a form sends them.
"""

from collections.abc import Sequence, Set
from dataclasses import replace

from django.http import QueryDict

from benchmarks.protocols.base import BoardTable
from leaderboard.web.board.asked import plain

ALL = "all"
MOST_LETTERS = 8_000
"""Of all names together: those of the widest table of ours have 3,000."""


def columns_asked(query: QueryDict, table: BoardTable, notes: list[str]) -> tuple[str, ...]:
    """The columns asked for, as short as can be: nothing for those of the first set, ALL, one slug
    of a set, or names in the order of the table."""
    text = ",".join(query.getlist("columns"))
    if len(text) > MOST_LETTERS:
        notes.append("More columns were asked for than any table has; these are the usual ones.")
        return ()
    wanted = {token for token in text.split(",") if token}
    sets = {one.slug: [metric.name for metric in one.metrics] for one in table.sets}
    names = [metric.name for metric in table.metrics]
    if unknown := sorted(wanted - {ALL, *sets, *names}):
        notes.append(f"There is no column “{plain(unknown[0][:100])}” in this table.")
    if ALL in wanted:
        return (ALL,)
    chosen = wanted & set(names) | {name for slug in wanted & sets.keys() for name in sets[slug]}
    if not chosen:
        return ()
    if chosen == set(names):
        return (ALL,) if table.sets else ()
    of_set = (slug for slug, some in sets.items() if chosen == set(some))
    return tuple([slug] if (slug := next(of_set, "")) else [n for n in names if n in chosen])


def names_shown(table: BoardTable, columns: Sequence[str]) -> Set[str]:
    """Names of the shown columns of a table, which has those with values only."""
    names = {metric.name for metric in table.metrics}
    sets = {one.slug: {metric.name for metric in one.metrics} & names for one in table.sets}
    if not columns:
        return next((some for some in sets.values() if some), names)
    if columns[0] == ALL:
        return names
    return sets.get(columns[0], set(columns) & names)


def with_columns(table: BoardTable, names: Set[str]) -> BoardTable:
    """The table with these columns; its bars stay."""
    groups = (
        replace(group, metrics=tuple(m for m in group.metrics if m.name in names))
        for group in table.groups
    )
    return replace(table, groups=tuple(group for group in groups if group.metrics))


def width_of(table: BoardTable, columns: Sequence[str]) -> int:
    """How many columns a page has at most, a bar counted as two, whichever of them hold values."""
    if not columns and table.sets:
        shown = max(len(one.metrics) for one in table.sets)
    else:
        shown = len(names_shown(table, columns))
    return shown + 2 * len(table.bars)
