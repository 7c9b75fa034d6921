"""Reasons are public and may hold no text of a reply or of an endpoint; those stored until now quoted both."""

import re

from django.db import migrations

NOT_READ = "no verdict could be read in the reply"
REFUSED = re.compile(r"(HTTP 4\d\d): (?!context_length_exceeded\b|content_filter\b|the )\S.*", re.DOTALL)


def reword(apps, schema_editor):
    rows = apps.get_model("judging", "Judgement").objects.order_by()
    rows.filter(reason__contains="no verdict in the reply: ").update(reason=NOT_READ)
    for reason in set(rows.filter(reason__contains="HTTP 4").values_list("reason", flat=True)):
        if (told := REFUSED.sub(r"\1: the request is refused", reason)) != reason:
            rows.filter(reason=reason).update(reason=told)


class Migration(migrations.Migration):
    stop_workers_first = True  # older ones store such reasons (leaderboard/versions/older_code.py)
    dependencies = [("judging", "0010_judge_health")]
    operations = [migrations.RunPython(reword, migrations.RunPython.noop, elidable=True)]
