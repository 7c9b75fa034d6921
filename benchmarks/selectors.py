"""Reading what is asked: releases, and their questions as the values protocols work on."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from sys import intern

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from benchmarks.common.spreadsheets import csv_text, inert
from benchmarks.models import (
    Description,
    LabelCorrection,
    Question,
    QuestionReport,
    Reference,
    Release,
    ReleaseQuestion,
)
from benchmarks.protocols.base import BenchmarkProtocol, Facts, QuestionView
from benchmarks.registry import protocol

AT_ONCE = 1_000
"""Rows that are in memory twice while they are read."""
Truths = Mapping[int, Facts]
"""By primary key of the question."""
NO_TRUTHS: Truths = {}


def protocol_of(release: Release) -> BenchmarkProtocol:
    return protocol(release.benchmark.slug)


def question_view(question: Question, kept: Truths = NO_TRUTHS) -> QuestionView:
    """As a release has it whose `kept_truths` these are; without them, as it is corrected by now.
    Needs `subtask__ability` and `figure` selected."""
    return QuestionView(
        public_id=question.public_id,
        ability=question.subtask.ability.slug,
        subtask=question.subtask.slug,
        figure=question.figure.key if question.figure else "",
        group=question.group,
        text=question.text,
        facts=question.facts,
        truth=kept.get(question.pk, question.current_truth),
    )


def corrections_in(release: Release) -> "QuerySet[LabelCorrection]":
    """The labels that were corrected in the release; in a closed one, before that was closed."""
    found = LabelCorrection.objects.filter(
        question__releases=release, state=LabelCorrection.State.APPROVED
    )
    return found if release.closed is None else found.filter(reviewed_at__lte=release.closed)


def kept_truths(release: Release) -> Truths:
    """For rows of questions, what `truth_in` is for queries: of a closed release the truth of those
    whose label was corrected at any time. Empty for one that takes corrections."""
    if release.closed is None:
        return NO_TRUTHS
    touched = Question.objects.filter(releases=release, corrected_truth__isnull=False)
    return dict(touched.order_by().values_list("pk", truth_in(release)))


def truth_in(release: Release, question: str = "") -> Coalesce:
    """What answers to a release are scored by, in queries whose path to the question is `question`
    with its underscores. A closed one keeps the labels that it had."""
    if release.closed is None:
        return Coalesce(f"{question}corrected_truth", f"{question}truth")
    corrected = LabelCorrection.objects.filter(
        question=OuterRef(f"{question}pk"),
        state=LabelCorrection.State.APPROVED,
        reviewed_at__lte=release.closed,
    )
    newest = corrected.order_by("-reviewed_at", "-pk").values("truth")[:1]
    return Coalesce(Subquery(newest), f"{question}truth")


def release_questions(release: Release) -> list[Question]:
    """The questions of a release in file order."""
    return list(Question.objects.of_release(release))


def question_views(release: Release) -> tuple[QuestionView, ...]:
    """Read as values, not as rows of models: of 10,290 questions those took a third of a second to
    make."""
    columns = (
        "public_id",
        "subtask__ability__slug",
        "subtask__slug",
        "figure__key",
        "group",
        "text",
        "facts",
    )
    rows = Question.objects.in_file_order(release).values_list(*columns, truth_in(release))
    return tuple(
        QuestionView(public_id, intern(ability), intern(subtask), key or "", *rest)
        for public_id, ability, subtask, key, *rest in rows.iterator(chunk_size=AT_ONCE)
    )


def question_keys(release: Release) -> list[tuple[int, str]]:
    """Primary key and public id of each question, in file order."""
    return list(Question.objects.in_file_order(release).values_list("pk", "public_id"))


def newest_references(
    question_ids: Iterable[int], as_of: datetime | None = None
) -> Mapping[int, str]:
    """Text of the newest reference by question, for questions that have one."""
    return texts_of(reference_versions(question_ids, as_of))


def approved_descriptions(
    figure_ids: Iterable[int], language: str, as_of: datetime | None = None
) -> Mapping[int, str]:
    """Text of the approved description by figure, the newest where several are."""
    return texts_of(description_versions(figure_ids, language, as_of))


Versions = Mapping[int, tuple[int, str]]
"""Primary key and text of a version, by question or figure."""


def reference_versions(question_ids: Iterable[int], as_of: datetime | None = None) -> Versions:
    """The newest reference by question, for questions that have one; the newest of then, with
    `as_of`."""
    found = Reference.objects.filter(question__in=question_ids)
    found = found.newest() if as_of is None else found.filter(created__lte=as_of)
    found = found.order_by("version")
    return {owner: (pk, text) for owner, pk, text in found.values_list("question_id", "pk", "text")}


def description_versions(
    figure_ids: Iterable[int], language: str, as_of: datetime | None = None
) -> Versions:
    """The approved description by figure, the newest where several are; those that were approved by
    then, with `as_of`. Those of a dataset were never reviewed."""
    found = Description.objects.filter(
        figure__in=figure_ids, language=language, state=Description.State.APPROVED
    ).order_by("version")
    if as_of is not None:
        found = found.filter(Q(reviewed_at=None) | Q(reviewed_at__lte=as_of))
    return {owner: (pk, text) for owner, pk, text in found.values_list("figure_id", "pk", "text")}


def texts_of(versions: Versions) -> Mapping[int, str]:
    return {owner: text for owner, (_, text) in versions.items()}


def question_descriptions(release: Release) -> Mapping[str, str]:
    """The approved description of each question's figure by public id, for questions that have
    one."""
    figures = dict(release.questions.exclude(figure=None).values_list("public_id", "figure"))
    texts = approved_descriptions(figures.values(), release.language)
    return {public_id: texts[figure] for public_id, figure in figures.items() if figure in texts}


def releases_with_ids(ids: Iterable[str], benchmark_id: int | None) -> Mapping[str, int]:
    """How many of these public ids each published release of the benchmark, or of all, has, by
    slug; small releases first."""
    counts: dict[str, int] = {}
    members = Release.objects.published().filter(questions__public_id__in=list(ids)[:500])
    if benchmark_id is not None:
        members = members.filter(benchmark=benchmark_id)
    for slug in members.order_by("question_count").values_list("slug", flat=True):
        counts[slug] = counts.get(slug, 0) + 1
    return counts


def release_template(release: Release) -> str:
    """CSV text with a line for every question, in file order, to be filled with predictions. Ids
    are as they are, for they come back: an operator imported them. The texts are to be read, and
    none is a formula."""
    questions = release.members.values_list("question__public_id", "question__text")
    lines = ([public_id, "", inert(text)] for public_id, text in questions)
    return csv_text([["id", "prediction", "question"], *lines])


def of_drafts_alone() -> Q:
    """Of pictures: whether nobody but staff may see them yet."""
    members = ReleaseQuestion.objects.filter(question__figure=OuterRef("figure"))
    in_draft = Exists(members.filter(release__state=Release.State.DRAFT))
    return Q(in_draft & ~Exists(members.exclude(release__state=Release.State.DRAFT)))


def confirmed_report_count(release: Release) -> int:
    """Of the questions of a release."""
    return QuestionReport.objects.confirmed().of_release(release).count()


def confirmed_reports_by_question(question_ids: Iterable[int]) -> Mapping[int, int]:
    """How many, of the questions that have any."""
    found = QuestionReport.objects.confirmed().filter(question__in=list(question_ids))
    return dict(found.order_by().values_list("question").annotate(Count("pk")))
