"""Descriptions and corrections of labels name who decided, when and what they said as proposals of
references do. Whoever approved a description is who reviewed it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

GUARD = "benchmarks_labelcorrection_update_guard"
"""Refuses what is done here; it is made anew after migrations."""


def name_reviewers(apps, schema_editor):
    approved = apps.get_model("benchmarks", "Description").objects.filter(approved_by__isnull=False)
    other = Q(reviewed_by__isnull=True) | ~Q(reviewed_by=F("approved_by"))
    approved.filter(other).update(reviewed_by=F("approved_by"))
    name_states(apps, schema_editor, {"confirmed": "approved"})


def name_approvers(apps, schema_editor):
    approved = apps.get_model("benchmarks", "Description").objects.filter(state="approved")
    approved.update(approved_by=F("reviewed_by"))
    name_states(apps, schema_editor, {"approved": "confirmed"})


def name_states(apps, schema_editor, names):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {GUARD} ON benchmarks_labelcorrection")
    corrections = apps.get_model("benchmarks", "LabelCorrection").objects
    for before, after in names.items():
        corrections.filter(state=before).update(state=after)
    if schema_editor.connection.vendor == "postgresql":
        # Or no table that was written to could be altered in the same transaction.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    # leaderboard/results/versions/older_code.py
    ends_older_code = "asks descriptions and corrections of labels for columns that are gone"
    dependencies = [
        ('benchmarks', '0025_the_desk'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='description',
            name='nobody_approves_their_own_description',
        ),
        migrations.RemoveConstraint(
            model_name='description',
            name='nobody_approves_what_they_submitted',
        ),
        migrations.RemoveConstraint(
            model_name='labelcorrection',
            name='nobody_confirms_their_own_correction',
        ),
        migrations.RemoveConstraint(
            model_name='labelcorrection',
            name='a_correction_goes_back_with_a_comment',
        ),
        migrations.RemoveConstraint(
            model_name='labelcorrection',
            name='a_decided_correction_says_when',
        ),
        migrations.RenameField(
            model_name='labelcorrection',
            old_name='decided',
            new_name='reviewed_at',
        ),
        migrations.RenameField(
            model_name='labelcorrection',
            old_name='decided_by',
            new_name='reviewed_by',
        ),
        migrations.RunPython(name_reviewers, name_approvers),
        migrations.RemoveField(
            model_name='description',
            name='approved_by',
        ),
        migrations.RenameField(
            model_name='labelcorrection',
            old_name='comment',
            new_name='review_comment',
        ),
        migrations.AlterField(
            model_name='labelcorrection',
            name='review_comment',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='description',
            name='review_comment',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='description',
            name='reviewed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name='description',
            name='reviewed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='labelcorrection',
            name='created',
            field=models.DateTimeField(auto_now_add=True),
        ),
        migrations.AlterField(
            model_name='labelcorrection',
            name='state',
            field=models.CharField(choices=[('in review', 'In Review'), ('approved', 'Approved'), ('sent back', 'Sent Back')], default='in review', max_length=10),
        ),
        migrations.AddConstraint(
            model_name='description',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('author__isnull', True), models.Q(('reviewed_by', models.F('author')), _negated=True), _connector='OR'), name='nobody_approves_their_own_description'),
        ),
        migrations.AddConstraint(
            model_name='description',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('submitted_by__isnull', True), models.Q(('reviewed_by', models.F('submitted_by')), _negated=True), _connector='OR'), name='nobody_approves_what_they_submitted'),
        ),
        migrations.AddConstraint(
            model_name='labelcorrection',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('author__isnull', True), models.Q(('reviewed_by', models.F('author')), _negated=True), _connector='OR'), name='nobody_confirms_their_own_correction'),
        ),
        migrations.AddConstraint(
            model_name='labelcorrection',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent back'), _negated=True), models.Q(('review_comment', ''), _negated=True), _connector='OR'), name='a_correction_goes_back_with_a_comment'),
        ),
        migrations.AddConstraint(
            model_name='labelcorrection',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('reviewed_at__isnull', True), ('state', 'in review')), models.Q(models.Q(('state', 'in review'), _negated=True), ('reviewed_at__isnull', False)), _connector='OR'), name='a_decided_correction_says_when'),
        ),
    ]
