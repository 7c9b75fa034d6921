"""How much of an entry was judged by other texts than its board's edition, so that no row stands
among others without saying so."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, QuerySet

from benchmarks.models import Question, Release
from judging.models import EarlierVerdict, Judgement, JudgeRun, JudgeSpec
from judging.texts import IN_ONE_QUERY, in_parts, outdated_texts, texts_read

State = Judgement.State


@dataclass(frozen=True, slots=True)
class OutdatedTexts:
    """Of one submission by one judge, how many answers have a verdict by older texts than today's,
    and of how many nothing tells by which."""

    older: int = 0
    unknown: int = 0

    def sentence(self, answers: int) -> str:
        """ "12 of 908 by older texts", of a submission of so many answers; empty where all is by
        today's."""
        parts = (
            f"{self.older:,} of {answers:,} by older texts" if self.older else "",
            f"{self.unknown:,} of {answers:,} by texts that were not recorded"
            if self.unknown
            else "",
        )
        return ", ".join(part for part in parts if part)


def outdated_texts_by_submission(
    *, release: Release, spec: JudgeSpec, submission: UUID | None = None
) -> Mapping[UUID, OutdatedTexts]:
    """By submission, for those that have any, or for one alone. Looks at no judgement that is up to
    date.

    A verdict that is being asked about anew is one by older texts until its answer is scored again:
    the figures are made of it until then.
    """
    kinds = texts_read(spec)
    if not kinds:
        return {}
    # The judge of the run, not of each judgement: of one submission SQLite would rather read all
    # that the judge ever decided.
    work = Judgement.objects.filter(
        run__judge_spec=spec,
        run__submission__release=release,
        run__submission__withdrawn__isnull=True,
    )
    if submission is not None:
        work = work.filter(run__submission=submission)
    questions = Question.objects.filter(releases=release)
    outdated = outdated_texts(
        questions, language=release.language, kinds=kinds, as_of=release.closed
    )
    judged = work.filter(state=State.JUDGED).order_by()
    anew = answers_asked_anew(release, spec, submission)
    counts = older_answers(judged, sorted(outdated), anew)
    unknown = judged.filter(texts__isnull=True)
    unknowns = dict(unknown.values_list("run__submission").annotate(Count("answer", distinct=True)))
    return {
        submission: OutdatedTexts(counts[submission], unknowns.get(submission, 0))
        for submission in counts.keys() | unknowns.keys()
    }


def older_answers(
    judged: "QuerySet[Judgement]", outdated: Sequence[int], anew: Set[tuple[UUID, int]]
) -> Counter[UUID]:
    """By submission, how many answers are judged by any of these texts, or are among `anew`."""
    moving = {submission for submission, _ in anew}
    counts: Counter[UUID] = Counter()
    several = len(outdated) > IN_ONE_QUERY
    if not several:
        found = judged.filter(texts__in=outdated).exclude(run__submission__in=moving)
        counts.update(
            dict(found.values_list("run__submission").annotate(Count("answer", distinct=True)))
        )
    if (
        moving or several
    ):  # an answer may be found twice: by the texts of two parts, and as asked anew
        pairs = set(anew)
        some = judged if several else judged.filter(run__submission__in=moving)
        for part in in_parts(outdated):
            found = some.filter(texts__in=part)
            pairs.update(found.values_list("run__submission", "answer").distinct())
        counts.update(submission for submission, _ in pairs)
    return counts


def answers_asked_anew(
    release: Release, spec: JudgeSpec, submission: UUID | None
) -> set[tuple[UUID, int]]:
    """Submission and answer of the verdicts that stood when their scoresheet was made and do not
    any more. Looked for in the runs alone that say so."""
    runs = JudgeRun.objects.filter(
        submission__release=release, judge_spec=spec, asked_anew__gte=F("scoresheet__computed")
    )
    if submission is not None:
        runs = runs.filter(submission=submission)
    kept = EarlierVerdict.objects.filter(
        judgement__run__in=runs, replaced__gte=F("judgement__run__scoresheet__computed")
    )
    answers = kept.order_by().values_list("judgement__run__submission", "judgement__answer")
    return set(answers.distinct())
