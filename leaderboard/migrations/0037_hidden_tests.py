"""Of releases that are hidden tests from now on nothing finer than a rounded score is kept where pages read it: sweeps
score their entries again within minutes, and until then these have no score."""

from django.db import migrations

from benchmarks.registry import protocol, protocols

FINER = ("lengths", "item_scores", "ability_moves")
GUARD = "DROP TRIGGER IF EXISTS leaderboard_boardsnapshot_delete_guard"


def seal(apps, schema_editor):
    releases = apps.get_model("benchmarks", "Release").objects.filter(disclosure="hidden_test")
    hidden = list(releases.select_related("benchmark"))
    if not hidden:
        return
    of = {name: apps.get_model("leaderboard", name).objects for name in (
        "Scoresheet", "BoardEdition", "BoardSnapshot", "QuestionStatistics", "JudgeComparison", "StudyReport", "BoardVersion",
    )}
    for release in hidden:
        slug, n = release.benchmark.slug, release.question_count
        names = [protocol(slug).board.BOARD.ranking] if slug in protocols() else []
        figures = {name: [None, None, None, None, n, n, n, None] for name in names}
        of["Scoresheet"].filter(submission__release=release).update(
            ranking=None, coverage=0, judged=0, unreadable=0, failed=0, excluded=0, scoring=0,
            figures=figures, board_figures=figures, draws=b"",
            **dict.fromkeys(FINER),
        )
    of["BoardEdition"].filter(release__in=hidden).delete()
    of["QuestionStatistics"].filter(release__in=hidden).delete()
    # Nobody changes or deletes what a board showed; after all migrations the trigger is made again.
    on = "" if schema_editor.connection.vendor == "sqlite" else " ON leaderboard_boardsnapshot"
    schema_editor.execute(f"{GUARD}{on}")
    of["BoardSnapshot"].filter(release__in=hidden).delete()
    benchmarks = {release.benchmark_id for release in hidden}
    of["JudgeComparison"].filter(benchmark__in=benchmarks).delete()
    of["BoardVersion"].filter(benchmark__in=benchmarks).update(made=None, next_at=None)
    of["StudyReport"].filter(file__submissions__release__in=hidden).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0036_no_losses"),
        ("benchmarks", "0023_disclosure"),
    ]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
