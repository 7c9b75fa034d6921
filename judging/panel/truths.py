"""Whether what people said of an answer was said under the truth that its release has today.

Where raters compare with a reference or are told what is true (Sight.rests_on_truth), a rating
speaks of that label and reference. Once one of them is corrected it stays where it is, and counts
in no label, agreement or anchored score; an open study asks about the question no more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from benchmarks.models import Question, Reference, Release
from benchmarks.selectors import corrections_in, protocol_of, question_view
from judging.panel.models import RatingFile, Study

IDS_AT_ONCE = 500  # keys of one statement; SQLite takes 999 for certain


@dataclass(frozen=True, slots=True)
class Change:
    """From `at` on the question has `text`, and had `before` till then; None for nothing."""

    at: datetime
    before: object
    text: object


@dataclass(frozen=True, slots=True)
class TruthChanges:
    """Of a release, by question: its labels, and apart from them its references, oldest first."""

    histories: tuple[tuple[int, tuple[Change, ...]], ...]

    def since(self, moment: datetime) -> frozenset[int]:
        """Questions with another truth today than at the moment; one that was corrected and
        corrected back has the same."""
        return frozenset(key for key, changes in self.histories if differs(changes, moment))


NO_CHANGES = TruthChanges(())
History = tuple[int, tuple[Change, ...]]


def differs(changes: tuple[Change, ...], moment: datetime) -> bool:
    later = [change for change in changes if change.at > moment]
    return bool(later) and later[0].before not in (None, later[-1].text)


def truth_changes(release: Release, since: datetime) -> TruthChanges:
    """What changed after the moment of what raters of the release are shown, also where it changed
    back: what was said in between speaks of another truth. Reads the questions that changed, and no
    others."""
    panel = protocol_of(release).panel
    if panel is None:
        return NO_CHANGES
    found = [*label_changes(release), *reference_changes(release, since)]
    found = [(key, changes) for key, changes in found if any(one.at > since for one in changes)]
    shown: set[int] = set()
    keys = sorted({key for key, _ in found})
    for start in range(0, len(keys), IDS_AT_ONCE):
        rows = Question.objects.filter(pk__in=keys[start : start + IDS_AT_ONCE])
        for question in rows.select_related("subtask__ability", "figure"):
            if panel.sight(question_view(question)).rests_on_truth:
                shown.add(question.pk)
    return TruthChanges(tuple(one for one in found if one[0] in shown))


def label_changes(release: Release) -> Iterable[History]:
    """Of all labels that were corrected: there are few."""
    found: defaultdict[int, list[Change]] = defaultdict(list)
    rows = corrections_in(release).order_by("reviewed_at", "pk")
    for key, first, truth, at in rows.values_list(
        "question", "question__truth", "truth", "reviewed_at"
    ):
        before = found[key][-1].text if found[key] else first
        if at is not None:
            found[key].append(Change(at, before, truth))
    return [(key, tuple(changes)) for key, changes in found.items()]


def reference_changes(release: Release, since: datetime) -> Iterable[History]:
    """Of questions with a version from after the moment. Who rated before there was a first one was
    shown none, and it takes nothing from what they said."""
    mine = Reference.objects.filter(question__releases=release)
    if release.closed is not None:
        mine = mine.filter(created__lte=release.closed)
    later = mine.filter(created__gt=since).order_by("question", "version")
    found: defaultdict[int, list[Change]] = defaultdict(list)
    for key, at, text in later.values_list("question", "created", "text"):
        before = found[key][-1].text if found[key] else None
        found[key].append(Change(at, before, text))
    keys = sorted(found)
    for start in range(0, len(keys), IDS_AT_ONCE):
        some = Reference.objects.filter(question__in=keys[start : start + IDS_AT_ONCE])
        held = some.filter(created__lte=since).order_by("version")
        for key, text in held.values_list("question", "text"):
            found[key][0] = replace(found[key][0], before=text)
    return [(key, tuple(changes)) for key, changes in found.items()]


def moment_of(file: RatingFile) -> datetime:
    """When what its raters were shown was today's: of a study when its items were drawn."""
    return file.study.created if file.study else file.created


def questions_left(study: Study) -> frozenset[int]:
    """Those of the release that the study asks about no more: label or reference was corrected
    since they were drawn."""
    return truth_changes(study.release, study.created).since(study.created)


def outdated_questions(release: Release, files: Iterable[UUID]) -> Mapping[UUID, frozenset[int]]:
    """By file, the questions of the release whose ratings in it were made under another truth than
    today's."""
    found = RatingFile.objects.filter(pk__in=set(files)).select_related("study")
    moments = {file.pk: moment_of(file) for file in found}
    changes = truth_changes(release, min(moments.values()))
    return {file: changes.since(moment) for file, moment in moments.items()}
