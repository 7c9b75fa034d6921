"""The questions of an entry page: which are shown, and each with its answer, references and
replies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.urls import reverse

from benchmarks.models import FigureImage, Question
from benchmarks.protocols.base import BenchmarkProtocol, QuestionView, ScoredRow
from benchmarks.selectors import kept_truths, question_view
from benchmarks.submissions.models import Answer, Submission
from judging.models import JudgeRun
from judging.panel.selectors import ratings_of
from judging.selectors import verdicts_of
from leaderboard.models import Scoresheet
from leaderboard.results.disclosure import (
    public_texts,
    shown_anomalies,
    shown_answer,
    shown_references,
    shown_replies,
)
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.choices import Choice


@dataclass(frozen=True, slots=True)
class ShownImage:
    """Addresses of a picture and of what is shown of it at first; width and height in pixels, so
    that nothing moves when it arrives."""

    full: str
    small: str
    width: int | None
    height: int | None


PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """asked: the address, which names a page. is_asked: it says which answers are wanted, so that
    they are unfolded."""

    asked: Asked
    subtask: str = ""
    outcome: str = ""
    is_asked: bool = False

    def query(self, judge: str, **changes: object) -> str:
        wanted = {"judge": judge, "subtask": self.subtask, "outcome": self.outcome, **changes}
        return f"?{urlencode({key: value for key, value in wanted.items() if value})}#questions"


JudgedAnswer = tuple[Answer, QuestionView, ScoredRow]


def judged_answers(sheet: Scoresheet, family: BenchmarkProtocol) -> list[JudgedAnswer]:
    """In the order of the release; none of a hidden test."""
    if not sheet.submission.release.verdicts_are_public:
        return []
    answers = list(
        sheet.submission.answers.select_related(
            "question__subtask__ability", "question__figure"
        ).order_by("pk")
    )
    kept = kept_truths(sheet.submission.release)
    views = [question_view(answer.question, kept) for answer in answers]
    public_ids = [view.public_id for view in views]
    verdicts, ratings = (
        verdicts_of(sheet.run, public_ids),
        ratings_of(sheet.submission, public_ids),
    )
    scored = family.explain(views, [answer.text for answer in answers], verdicts, ratings)
    return list(zip(answers, views, scored, strict=True))


def question_list(
    sheet: Scoresheet,
    family: BenchmarkProtocol,
    rows: Sequence[JudgedAnswer],
    chosen: QuestionFilter,
) -> dict[str, Any]:
    """The page of answers that is chosen, or the last one; nothing of a hidden test. `outcomes` is
    empty where the benchmark gives scores and calls nothing right or wrong."""
    if not rows:
        return {}
    fitting = [row for row in rows if fits(row[1], row[2], chosen)]
    notes = chosen.asked.notes
    shown = page_or_last(Paginator(fitting, PER_PAGE), chosen.asked.page(), notes)
    judge = sheet.judge_spec.slug
    titles = subtask_titles(family)
    subtasks = Counter(view.subtask for _, view, _ in rows)
    outcomes = Counter(outcome_of(row) for _, _, row in rows)
    has_outcomes = any(row.is_right is not None or row.outcome for _, _, row in rows)
    return {
        "cards": question_cards(sheet.submission, sheet.run, judge, list(shown)),
        "shown": shown,
        "notes": notes,
        "url": chosen.query(judge),
        "subtasks": choices(chosen, judge, "subtask", subtasks, titles),
        "outcomes": choices(chosen, judge, "outcome", outcomes, {}) if has_outcomes else (),
    }


def outcome_of(row: ScoredRow) -> str:
    return row.outcome or {True: "right", False: "wrong", None: "no verdict"}[row.is_right]


def fits(view: QuestionView, row: ScoredRow, chosen: QuestionFilter) -> bool:
    return chosen.subtask in ("", view.subtask) and chosen.outcome in ("", outcome_of(row))


def subtask_titles(family: BenchmarkProtocol) -> dict[str, str]:
    """Titles by slug; where two abilities have subtasks of one name, with the ability's slug before
    it."""
    found = [
        (ability.slug, subtask)
        for ability in family.dataset.TAXONOMY
        for subtask in ability.subtasks
    ]
    times = Counter(subtask.title for _, subtask in found)
    return {
        s.slug: s.title if times[s.title] == 1 else f"{ability} {s.title}" for ability, s in found
    }


def choices(
    chosen: QuestionFilter,
    judge: str,
    field: str,
    counts: Mapping[str, int],
    titles: Mapping[str, str],
) -> tuple[Choice, ...]:
    """Links that choose all, or one value of the field; titles: of values that have one."""
    current = getattr(chosen, field)
    everything = Choice(
        "all", chosen.query(judge, **{field: ""}), not current, sum(counts.values())
    )
    found = (
        Choice(titles.get(name, name), chosen.query(judge, **{field: name}), name == current, count)
        for name, count in counts.items()
    )
    return (everything, *found)


def question_cards(
    submission: Submission,
    run: JudgeRun,
    judge: str,
    rows: Sequence[JudgedAnswer],
) -> list[dict[str, Any]]:
    """Of these answers of the submission, as the run judged them; judge: the slug of its spec.
    `answer` is None where it is hidden; `texts` are the versions that its judge read; `url` is that
    of the question's page."""
    release = submission.release
    questions = [answer.question for answer, _, _ in rows]
    references = shown_references(release, [q.pk for q in questions])
    images = images_of(questions)
    replies = shown_replies(run, [answer.pk for answer, _, _ in rows])
    anomalies = shown_anomalies(release)
    public = public_texts(release, [answer for answer, _, _ in rows])
    cards = []
    for answer, view, row in rows:
        pictures, said = images.get(answer.question.figure_id or 0, ()), replies.get(answer.pk, ())
        cards.append(
            {
                "question": answer.question,
                "text": view.text,
                "row": row,
                "url": question_url(answer.question_id, release.slug, judge),
                "images": [shown_image(image) for image in pictures if image.sha256],
                "image_names": [image.name for image in pictures],
                "answer": shown_answer(answer, submission, public[answer.pk]),
                "reference": references.get(answer.question_id, ""),
                "anomalies": anomalies.get(view.public_id, ()),
                "replies": said,
                "texts": list(dict.fromkeys(text for reply in said for text in reply.texts)),
            }
        )
    return cards


def question_url(question: int, release: str, judge: str) -> str:
    """Of the page on which a question has the answers of all entries of an era."""
    named = {"release": release, "judge": judge}
    query = urlencode({name: slug for name, slug in named.items() if slug})
    return f"{reverse('question', args=[question])}?{query}"


def entry_url(submission: UUID, judge: str) -> str:
    return f"{reverse('entry', args=[submission])}?{urlencode({'judge': judge})}"


def entry_line_url(submission: UUID, judge: str, question: int, place: int) -> str:
    """Of a question on an entry's page; place: of the question in its release, from 0."""
    query = urlencode({"judge": judge, "page": place // PER_PAGE + 1})
    return f"{reverse('entry', args=[submission])}?{query}#question-{question}"


def images_of(questions: Sequence[Question]) -> dict[int, list[FigureImage]]:
    found: dict[int, list[FigureImage]] = {}
    for image in FigureImage.objects.filter(
        figure__in={q.figure_id for q in questions if q.figure_id}
    ):
        found.setdefault(image.figure_id, []).append(image)
    return found


def shown_image(image: FigureImage) -> ShownImage:
    return ShownImage(
        full=reverse("figure-image", args=[image.pk]),
        small=reverse("figure-rendition", args=[image.pk]),
        width=image.width,
        height=image.height,
    )
