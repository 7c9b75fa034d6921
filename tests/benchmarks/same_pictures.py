"""A figure of a second benchmark that shows the same pictures."""

from benchmarks.models import Ability, Benchmark, Figure, FigureImage, Release


def shown_elsewhere(figure: Figure, slug: str, language: str = "en") -> Figure:
    """In an open release of the benchmark, which is made here."""
    benchmark = Benchmark.objects.create(slug=slug, title=slug)
    other = Figure.objects.create(
        benchmark=benchmark, key=figure.key, content_hash=figure.content_hash
    )
    FigureImage.objects.bulk_create(
        FigureImage(figure=other, position=image.position, name=image.name, sha256=image.sha256)
        for image in figure.images.all()
    )
    ability = Ability.objects.create(benchmark=benchmark, slug="all", title="All", position=0)
    question = figure.questions.order_by("pk")[0]
    question.pk, question.benchmark, question.figure = None, benchmark, other
    question.subtask = ability.subtasks.create(slug="all", title="Whole picture", position=0)
    question.save()
    release = Release.objects.create(
        benchmark=benchmark, slug=slug, title=slug, question_count=1, language=language
    )
    release.members.create(question=question, position=0)
    Release.objects.filter(pk=release.pk).update(state=Release.State.OPEN)
    return other
