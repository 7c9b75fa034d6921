"""Drawing a study: what could be asked of a release, which questions a draw finds, and the items
that come of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import Question, Release
from benchmarks.protocols.base import Dimension, PanelPort, QuestionView
from benchmarks.selectors import newest_references, protocol_of, question_view
from benchmarks.statistics import replacing
from benchmarks.statistics.agreement import LEAST_GROUPS, LEAST_ITEMS
from benchmarks.submissions.models import Answer, Submission
from judging.panel.models import Study, StudyItem
from judging.panel.studies.draw import draw_key, drawn
from judging.panel.studies.errors import StudyRefusedError

MOST_ENTRIES = 20  # five is a study of TouchStone's size; twenty times 200 answers takes months
MOST_ITEMS = 20_000  # with three raters 60,000 votes: what the rating pages are measured at
OTHERS_FOR_CHECKS = 5  # answers to other questions among which a check finds one that is not empty
SECONDS_PER_VOTE = 30
"""Assumed of reading a question, a picture and two answers; said with every estimate."""
BATCH = 500


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """What is asked of some questions of a release. `key` is Study.questionnaire."""

    key: str
    dimensions: tuple[Dimension, ...]
    questions: int

    @property
    def title(self) -> str:
        return ", ".join(dimension.title for dimension in self.dimensions)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    pk: int
    view: QuestionView
    ability: str
    reference: str


@dataclass(frozen=True, slots=True)
class Share:
    """Of an ability: its questions, and how many of them are drawn."""

    ability: str
    questions: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a draw finds. `left_out` questions lack the reference that their raters would see."""

    questions: tuple[AskedQuestion, ...]
    shares: tuple[Share, ...]
    left_out: int
    entries: int
    raters_per_item: int
    check_every: int
    quota: int | None

    @property
    def items(self) -> int:
        return len(self.questions) * self.entries

    @property
    def each(self) -> int:
        """Answers that one rater is given at most."""
        return min(self.quota or self.items, self.items)

    @property
    def checks(self) -> int:
        """As many as somebody meets who is given as many answers as one may."""
        return checks_among(self.each, self.check_every)

    @property
    def votes(self) -> int:
        return self.items * self.raters_per_item

    @property
    def hours(self) -> float:
        return self.votes * SECONDS_PER_VOTE / 3600

    @property
    def groups(self) -> int:
        """Of questions, as statistics count them: those about one picture, for example, are one."""
        return len({question.view.group for question in self.questions})

    @property
    def fewest_raters(self) -> int:
        """With fewer, not every answer gets as many votes as it is to have."""
        each = max(self.each, 1)
        return max(self.raters_per_item, -(-self.votes // each))

    @property
    def limitations(self) -> tuple[str, ...]:
        """What the report of such a study cannot say, whatever its raters vote."""
        found = []
        if self.raters_per_item < 2:
            found.append(
                "How far people agree, and whether a judge could replace one of them: each "
                "answer is rated by one person."
            )
        if self.items < LEAST_ITEMS or self.groups < LEAST_GROUPS:
            found.append(
                f"A coefficient of agreement: that takes {LEAST_ITEMS} answers to {LEAST_GROUPS} "
                f"groups of questions, and {self.items:,} to {self.groups:,} are drawn."
            )
        most = min(self.groups, self.quota or self.groups)
        if self.raters_per_item > 1 and most < replacing.LEAST_ITEMS:
            found.append(
                f"Whether a judge could replace a rater: that takes {replacing.LEAST_RATERS} "
                f"raters with {replacing.LEAST_ITEMS} groups of questions each, and nobody would "
                f"see more than {most:,}."
            )
        if self.check_every and not self.checks:
            found.append(
                f"Whether raters look: with one check in {self.check_every:,} items nobody meets "
                "one."
            )
        return tuple(found)


def meets_checks(study: Study) -> bool:
    """Whether a rater who rates as much as one may meets an attention check: a small study has
    none, and a small quota ends before the first."""
    within = study.quota is None or checks_among(study.quota, study.check_every) > 0
    return within and study.items.filter(is_check=True).exists()


def checks_among(items: int, check_every: int) -> int:
    return items // (check_every - 1) if check_every > 1 else 0


def panel_of(release: Release) -> PanelPort:
    panel = protocol_of(release).panel
    if panel is None:
        raise StudyRefusedError(f"People are not asked about answers of {release.benchmark}.")
    return panel


def key_of(dimensions: Sequence[Dimension]) -> str:
    return "+".join(dimension.slug for dimension in dimensions)


def questionnaires(release: Release) -> tuple[Questionnaire, ...]:
    """Everything that people can be asked about the answers to a release, the most frequent
    first."""
    family = protocol_of(release)
    if family.panel is None:
        return ()
    found: dict[tuple[Dimension, ...], int] = {}
    for view, _, _ in views_of(release):
        dimensions = family.panel.dimensions(view)
        found[dimensions] = found.get(dimensions, 0) + 1
    made = (Questionnaire(key_of(dims), dims, n) for dims, n in found.items() if dims)
    return tuple(sorted(made, key=lambda one: (-one.questions, one.key)))


def views_of(release: Release) -> Iterator[tuple[QuestionView, int, str]]:
    """View, primary key and title of the ability, in file order."""
    for question in Question.objects.of_release(release).iterator(chunk_size=BATCH):
        yield question_view(question), question.pk, question.subtask.ability.title


def asked_questions(release: Release, questionnaire: str) -> tuple[list[AskedQuestion], int]:
    """The questions about whose answers this is asked, and how many of those lack the reference
    that would be shown."""
    panel = panel_of(release)
    rows = [row for row in views_of(release) if key_of(panel.dimensions(row[0])) == questionnaire]
    references: dict[int, str] = {}
    keys = iter([pk for _, pk, _ in rows])
    while block := list(islice(keys, BATCH)):
        references |= newest_references(block)
    asked = []
    for view, pk, ability in rows:
        sight = panel.sight(view)
        reference = references.get(pk, "")
        if reference or not (sight.compares or sight.shows_reference):
            asked.append(AskedQuestion(pk, view, ability, reference))
    return asked, len(rows) - len(asked)


def plan_study(
    *,
    release: Release,
    questionnaire: str,
    entries: int,
    size: int,
    seed: int,
    raters_per_item: int,
    check_every: int,
    quota: int | None = None,
) -> Plan:
    """What a study of this kind would be about; nothing is stored. Raises StudyRefusedError."""
    asked, left_out = asked_questions(release, questionnaire)
    if not asked:
        raise StudyRefusedError("No question of this release can be asked about in this way.")
    strata: dict[str, dict[str, AskedQuestion]] = {}
    for question in asked:
        strata.setdefault(question.ability, {})[question.view.public_id] = question
    found = drawn({name: list(ids) for name, ids in strata.items()}, size, seed)
    chosen = [strata[name][public_id] for name, ids in found.items() for public_id in ids]
    plan = Plan(
        questions=tuple(chosen),
        shares=tuple(Share(name, len(strata[name]), len(ids)) for name, ids in found.items()),
        left_out=left_out,
        entries=entries,
        raters_per_item=raters_per_item,
        check_every=check_every,
        quota=quota,
    )
    if plan.items > MOST_ITEMS:
        raise StudyRefusedError(
            f"{len(chosen):,} questions times {entries:,} entries are {plan.items:,} answers; a "
            f"study has at most {MOST_ITEMS:,}. Draw fewer questions, or choose fewer entries."
        )
    return plan


@transaction.atomic
def create_study(
    *,
    release: Release,
    title: str,
    questionnaire: str,
    submissions: Sequence[Submission],
    size: int,
    seed: int,
    raters_per_item: int = 3,
    check_every: int = 20,
    failing: str = Study.Failing.KEPT,
    least_passed: int = 75,
    quota: int | None = None,
    note: str = "",
    consent: str = "",
    by: User | None = None,
) -> Study:
    """A draft with its items drawn. Raises StudyRefusedError."""
    require_entries(release, submissions)
    plan = plan_study(
        release=release,
        questionnaire=questionnaire,
        entries=len(submissions),
        size=size,
        seed=seed,
        raters_per_item=raters_per_item,
        check_every=check_every,
        quota=quota,
    )
    study = Study.objects.create(
        release=release,
        title=title,
        questionnaire=questionnaire,
        size=len(plan.questions),
        seed=seed,
        raters_per_item=raters_per_item,
        check_every=check_every,
        failing=failing,
        least_passed=least_passed,
        quota=quota,
        note=note,
        consent=consent,
        created_by=by,
    )
    study.submissions.set(submissions)
    StudyItem.objects.bulk_create(items_of(study, plan), batch_size=BATCH)
    return study


def require_entries(release: Release, submissions: Sequence[Submission]) -> None:
    if not submissions:
        raise StudyRefusedError("Choose at least one entry.")
    if len(submissions) > MOST_ENTRIES:
        raise StudyRefusedError(f"A study has at most {MOST_ENTRIES} entries.")
    for submission in submissions:
        if submission.release_id != release.pk or submission.withdrawn or not submission.confirmed:
            raise StudyRefusedError(
                f"{submission.model} is no entry of this release, or withdrawn or not confirmed."
            )


def items_of(study: Study, plan: Plan) -> list[StudyItem]:
    """The answers in a random order that follows from the seed, and the checks behind them."""
    panel = panel_of(study.release)
    asked = {question.pk: question for question in plan.questions}
    answers = sorted(
        answers_of(study, list(asked)),
        key=lambda answer: draw_key(
            study.seed, f"{asked[answer.question_id].view.public_id} {answer.submission_id}"
        ),
    )
    made: list[StudyItem] = []
    for answer in answers:
        question = asked[answer.question_id]
        sight = panel.sight(question.view)
        made.append(
            StudyItem(
                study=study,
                answer=answer,
                position=len(made) + 1,
                shown_answer=answer.text,
                shown_reference=question.reference
                if sight.compares or sight.shows_reference
                else "",
                wanted=study.raters_per_item,
            )
        )
    return [*made, *check_items(study, panel, asked, answers)]


def answers_of(study: Study, questions: Sequence[int]) -> list[Answer]:
    submissions = list(study.submissions.values_list("pk", flat=True))
    keys, found = iter(questions), list[Answer]()
    while block := list(islice(keys, BATCH)):
        found += Answer.objects.filter(submission__in=submissions, question__in=block)
    return found


def check_items(
    study: Study,
    panel: PanelPort,
    asked: Mapping[int, AskedQuestion],
    answers: Sequence[Answer],
) -> Iterator[StudyItem]:
    """As many checks as somebody meets who rates all; fewer where the panel makes none of a
    question."""
    count = checks_among(len(answers), study.check_every)
    made = 0
    for place, answer in enumerate(answers):
        if made == count:
            return
        question = asked[answer.question_id]
        others = other_answers(answers, place)
        check = panel.check(question.view, question.reference, others, made)
        if check is None:
            continue
        made += 1
        sight = panel.sight(question.view)
        yield StudyItem(
            study=study,
            answer=answer,
            position=len(answers) + made,
            shown_answer=check.answer,
            shown_reference=question.reference if sight.compares or sight.shows_reference else "",
            is_check=True,
            check_dimension=check.dimension,
            passed_by=",".join(map(str, check.passed_by)),
            about=check.about,
            wanted=0,
        )


def other_answers(answers: Sequence[Answer], place: int) -> list[str]:
    """To questions about other pictures than the one at this place, the next ones around."""
    own = answers[place].question_id
    following = (answers[(place + step) % len(answers)] for step in range(1, len(answers)))
    return [
        answer.text
        for answer in islice((a for a in following if a.question_id != own), OTHERS_FOR_CHECKS)
    ]
