"""Scoresheets keep what the replies and requests of their run add up to, and judges the sum of them.

Counts all judgements and requests once, a few runs at a time: some minutes for ten million.
"""

from collections import defaultdict

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, Max, Min, Sum

RUNS_AT_ONCE = 5
"""For a hundred PostgreSQL reads all requests there are each time, and not those of these runs."""


def keep_records(apps, schema_editor):
    Scoresheet = apps.get_model("leaderboard", "Scoresheet")
    JudgeRecord = apps.get_model("leaderboard", "JudgeRecord")
    for spec in Scoresheet.objects.order_by().values_list("judge_spec", flat=True).distinct():
        sheets = Scoresheet.objects.filter(judge_spec=spec, record__isnull=True)
        keys = list(sheets.order_by("pk").values_list("pk", flat=True))
        total = {"judged": 0, "replies": {}, "calls": {}}
        for start in range(0, len(keys), RUNS_AT_ONCE):
            part = sheets.filter(pk__in=keys[start : start + RUNS_AT_ONCE]).only("run", "judged")
            keep_part(apps, list(part), total)
        JudgeRecord.objects.create(judge_spec_id=spec, totals=packed(total))


def keep_part(apps, sheets, total):
    runs = [sheet.run_id for sheet in sheets]
    replies, calls = replies_of(apps, runs), calls_of(apps, runs)
    for sheet in sheets:
        record = {
            "judged": sheet.judged,
            "replies": replies.get(sheet.run_id, {}),
            "calls": calls.get(sheet.run_id, {}),
        }
        sheet.record = packed(record)
        total["judged"] += sheet.judged
        for key, (count, ms, first, last) in record["replies"].items():
            known = total["replies"].get(key, (0, 0, first, last))
            moments = [m for m in (first, known[2]) if m], [m for m in (last, known[3]) if m]
            total["replies"][key] = (
                known[0] + count,
                known[1] + ms,
                min(moments[0], default=None),
                max(moments[1], default=None),
            )
        for key, sums in record["calls"].items():
            known = total["calls"].get(key, (0,) * 5)
            total["calls"][key] = tuple(a + b for a, b in zip(known, sums, strict=True))
    type(sheets[0]).objects.bulk_update(sheets, ["record"])


def replies_of(apps, runs):
    """By run, and by state and reported model."""
    rows = (
        apps.get_model("judging", "Judgement")
        .objects.filter(run__in=runs, reused_from__isnull=True, latency_ms__isnull=False)
        .order_by()
        .values_list("run", "state", "reported_model")
        .annotate(Count("pk"), Sum("latency_ms"), Min("settled"), Max("settled"))
    )
    found = defaultdict(dict)
    for run, state, model, *sums in rows:
        found[run][state, model] = tuple(sums)
    return found


def calls_of(apps, runs):
    """By run, and by outcome and what the reply was."""
    numbers = Sum("cost"), Sum("prompt_tokens"), Sum("reply_tokens"), Count("reply_tokens")
    rows = (
        apps.get_model("judging", "JudgeCall")
        .objects.filter(judgement__run__in=runs)
        .order_by()
        .values_list("judgement__run", "outcome", "reading")
        .annotate(Count("pk"), *numbers)
    )
    found = defaultdict(dict)
    for run, outcome, reading, *sums in rows:
        found[run][outcome, reading] = tuple(number or 0 for number in sums)
    return found


def packed(record):
    """As leaderboard.judge_records packs it."""
    return {
        "judged": record["judged"],
        "replies": [
            [*key, count, ms, *(moment.isoformat() if moment else "" for moment in moments)]
            for key, (count, ms, *moments) in sorted(record["replies"].items())
        ],
        "calls": [[*key, *sums] for key, sums in sorted(record["calls"].items())],
    }


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0017_sweeps_find_what_is_due"),
        ("leaderboard", "0011_sweeps_find_what_is_due"),
    ]

    operations = [
        migrations.AddField(
            model_name="scoresheet",
            name="record",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.CreateModel(
            name="JudgeRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("totals", models.JSONField(default=dict)),
                (
                    "judge_spec",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="record",
                        to="judging.judgespec",
                    ),
                ),
            ],
        ),
        migrations.RunPython(keep_records, migrations.RunPython.noop, elidable=True),
    ]
