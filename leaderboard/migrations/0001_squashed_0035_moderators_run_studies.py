import benchmarks.submissions.models
import django.db.models.deletion
import django.db.models.functions.datetime
import leaderboard.models
from django.conf import settings
from django.db import migrations, models

GROUPS = {
    "annotators": (
        "benchmarks description add_description change_description view_description",
        "benchmarks figure view_figure",
        "benchmarks figureimage view_figureimage",
        "benchmarks labelcorrection add_labelcorrection",
        "benchmarks labeldoubt view_labeldoubt",
        "benchmarks question view_question",
        "benchmarks questionreport view_questionreport",
        "benchmarks reference add_reference view_reference",
    ),
    "reviewers": (
        "benchmarks assignment assign_figure",
        "benchmarks description add_description approve_description change_description view_description",
        "benchmarks figure view_figure",
        "benchmarks figureimage view_figureimage",
        "benchmarks labelcorrection add_labelcorrection confirm_labelcorrection",
        "benchmarks labeldoubt view_labeldoubt",
        "benchmarks question view_question",
        "benchmarks questionreport change_questionreport view_questionreport",
        "benchmarks reference add_reference view_reference",
        "judging stalejudgement rejudge_stale",
    ),
    "moderators": (
        "benchmarks assignment assign_figure",
        "benchmarks benchmark view_benchmark",
        "benchmarks description approve_description view_description",
        "benchmarks figure view_figure",
        "benchmarks figureimage view_figureimage",
        "benchmarks labeldoubt view_labeldoubt",
        "benchmarks question view_question",
        "benchmarks questionreport change_questionreport view_questionreport",
        "benchmarks reference view_reference",
        "benchmarks release view_release",
        "benchmarks staffaction view_staffaction",
        "judging endpoint view_endpoint",
        "judging judgement change_judgement view_judgement",
        "judging judgementforreview review_judgement",
        "judging judgerun change_judgerun view_judgerun",
        "judging judgespec view_judgespec",
        "judging promptset view_promptset",
        "judging referencerequest view_referencerequest",
        "judging stalejudgement rejudge_stale",
        "panel rating view_rating",
        "panel ratingfile view_ratingfile",
        "panel study add_study change_study view_study",
        "submissions evaluatedmodel view_evaluatedmodel",
        "submissions limitraise view_limitraise",
        "submissions rankingdecision add_rankingdecision",
        "submissions submission change_submission view_submission",
        "submissions team view_team",
        "submissions teamverification add_teamverification view_teamverification",
        "submissions verificationdecision add_verificationdecision",
    ),
    "raters": (),
}
"""By group: app, model, and what its members may do with it. To enter the admin they must also be staff."""


def make_groups(apps, schema_editor):
    """Permissions are only made after all migrations, so those of the groups are made here; what Django makes
    afterwards finds them."""
    objects_of = {name: apps.get_model(app, name).objects for app, name in (
        ("auth", "Group"), ("auth", "Permission"), ("contenttypes", "ContentType"),
    )}
    for name, rights in GROUPS.items():
        group, _ = objects_of["Group"].get_or_create(name=name)
        for app, model, *codenames in map(str.split, rights):
            of, _ = objects_of["ContentType"].get_or_create(app_label=app, model=model)
            meta = apps.get_model(app, model)._meta
            for codename in codenames:
                usual = f"Can {codename.partition('_')[0]} {meta.verbose_name}"
                about = dict(meta.permissions).get(codename, usual)
                found, _ = objects_of["Permission"].get_or_create(
                    content_type=of, codename=codename, defaults={"name": about}
                )
                group.permissions.add(found)


class Migration(migrations.Migration):

    replaces = [("leaderboard", name) for name in """
        0001_initial
        0002_worker_beat
        0003_scoresheet_excluded
        0004_scoresheet_lengths
        0005_operator_notice
        0006_scoresheet_scoring
        0007_shared_cache
        0008_outgoing_mail
        0009_scoresheet_losses
        0010_stored_boards
        0011_sweeps_find_what_is_due
        0012_judge_records
        0013_rows_say_when_they_were_scored
        0014_look_at_waits
        0015_one_scale_per_board
        0016_chain
        0017_question_statistics
        0018_middles
        0019_snapshots
        0020_judge_comparison
        0021_evidence_archive
        0022_sizes_on_boards
        0023_ability_moves
        0024_data_exports
        0025_notices
        0026_organisations_on_boards
        0027_replaced_notices
        0028_verified_teams_on_boards
        0029_studies
        0030_moderators_and_raters
        0031_person_invitations
        0032_made_up_studies
        0033_moderators_judge_again
        0034_notices_of_descriptions
        0035_moderators_run_studies
    """.split()]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('benchmarks', '0001_squashed_0022_next_releases'),
        ('judging', '0001_squashed_0023_runs_asked_anew'),
        ('panel', '0001_squashed_0004_study_guards'),
        ('submissions', '0001_squashed_0019_fact_changes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Scoresheet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ranking', models.FloatField(null=True)),
                ('coverage', models.FloatField()),
                ('judged', models.PositiveIntegerField()),
                ('unreadable', models.PositiveIntegerField()),
                ('failed', models.PositiveIntegerField()),
                ('figures', models.JSONField()),
                ('board_figures', models.JSONField()),
                ('draws', models.BinaryField()),
                ('computed', models.DateTimeField()),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scoresheets', to='judging.judgespec')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='scoresheet', to='judging.judgerun')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scoresheets', to='submissions.submission')),
                ('excluded', models.PositiveIntegerField(db_default=0, default=0)),
                ('lengths', models.BinaryField(null=True)),
                ('scoring', models.PositiveSmallIntegerField(db_default=1, default=1)),
                ('losses', models.BinaryField(null=True)),
                ('record', models.JSONField(editable=False, null=True)),
                ('item_scores', models.BinaryField(null=True)),
                ('ability_moves', models.BinaryField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('submission', 'judge_spec'), name='one_scoresheet_per_era'), models.CheckConstraint(condition=models.Q(('coverage__gte', 0), ('coverage__lte', 1)), name='coverage_is_a_share')],
                'indexes': [models.Index(fields=['scoring'], name='scoresheet_scoring')],
            },
        ),
        migrations.CreateModel(
            name='WorkerBeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='host/process id; never shown to visitors', max_length=200, unique=True)),
                ('seen', models.DateTimeField()),
                ('swept', models.DateTimeField(help_text='When its last sweep ended', null=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='OperatorNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(help_text='endpoint/alias, run/key, or progress', max_length=80, unique=True)),
                ('since', models.DateTimeField(null=True)),
                ('told', models.DateTimeField(null=True)),
                ('next_try', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SharedCacheRow',
            fields=[
                ('cache_key', models.CharField(max_length=255, primary_key=True, serialize=False)),
                ('value', models.TextField()),
                ('expires', models.DateTimeField(db_index=True)),
            ],
            options={
                'db_table': 'shared_cache',
            },
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sender', models.CharField(max_length=320)),
                ('recipients', models.JSONField()),
                ('subject', models.TextField()),
                ('text', models.TextField()),
                ('headers', models.JSONField()),
                ('created', models.DateTimeField()),
                ('next_try', models.DateTimeField(db_index=True, help_text='Also the end of the time for which a worker has it')),
                ('tries', models.PositiveSmallIntegerField(default=0, help_text='Times that a server refused it')),
            ],
        ),
        migrations.CreateModel(
            name='BoardChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.BigIntegerField()),
                ('benchmark', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='board_changes', to='benchmarks.benchmark')),
            ],
        ),
        migrations.CreateModel(
            name='BoardVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField(default=0)),
                ('made', models.BigIntegerField(null=True)),
                ('code', models.CharField(blank=True, max_length=64)),
                ('written', models.BigIntegerField(default=0)),
                ('next_at', models.DateTimeField(null=True)),
                ('benchmark', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='board_version', to='benchmarks.benchmark')),
            ],
        ),
        migrations.CreateModel(
            name='JudgeRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('totals', models.JSONField(default=dict)),
                ('judge_spec', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='record', to='judging.judgespec')),
            ],
        ),
        migrations.CreateModel(
            name='LookAtWaits',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('next_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ChainHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(default=0)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('linked', models.DateTimeField(null=True)),
                ('older_from', models.BigIntegerField(default=0)),
                ('older_upto', models.BigIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='ChainLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(null=True, unique=True)),
                ('kind', models.CharField(choices=[('scoresheet', 'Scoresheet'), ('publication', 'Publication'), ('withdrawal', 'Withdrawal'), ('made_private', 'Made Private'), ('kept_out', 'Kept Out'), ('ranked', 'Ranked')], max_length=20)),
                ('submission', models.UUIDField(db_index=True)),
                ('judge', models.CharField(blank=True, max_length=200)),
                ('content', models.TextField()),
                ('content_digest', models.CharField(blank=True, max_length=64)),
                ('previous', models.CharField(blank=True, max_length=64)),
                ('digest', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('number__isnull', True)), fields=['id'], name='chain_links_waiting')],
            },
        ),
        migrations.CreateModel(
            name='QuestionStatistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.BigIntegerField()),
                ('entries', models.PositiveIntegerField()),
                ('countable', models.PositiveIntegerField()),
                ('table', models.BinaryField()),
                ('computed', models.DateTimeField()),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='question_statistics', to='judging.judgespec')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='question_statistics', to='benchmarks.release')),
            ],
            options={
                'verbose_name_plural': 'question statistics',
                'constraints': [models.UniqueConstraint(fields=('release', 'judge_spec'), name='one_question_statistics_per_era')],
            },
        ),
        migrations.CreateModel(
            name='ShownFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('values', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='BoardSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=16, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('shown', models.CharField(max_length=64)),
                ('taken', models.DateTimeField()),
                ('entries', models.PositiveIntegerField()),
                ('content_number', models.PositiveIntegerField()),
                ('content_since', models.DateTimeField(null=True)),
                ('head', models.JSONField()),
                ('columns', models.BinaryField()),
                ('losses', models.BinaryField()),
                ('leaders', models.JSONField()),
                ('changes', models.JSONField()),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='judging.judgespec')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='benchmarks.release')),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'judge_spec', '-taken'], name='snapshots_of_era')],
            },
        ),
        migrations.CreateModel(
            name='BoardEdition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.BigIntegerField()),
                ('code', models.CharField(max_length=64)),
                ('computed', models.DateTimeField()),
                ('newest_sheet', models.DateTimeField(null=True)),
                ('entries', models.PositiveIntegerField()),
                ('handed_in', models.PositiveIntegerField()),
                ('ranked', models.PositiveIntegerField()),
                ('folded', models.PositiveIntegerField()),
                ('behind', models.PositiveIntegerField()),
                ('ranked_rows', models.PositiveIntegerField()),
                ('smallest_each', models.FloatField(null=True)),
                ('smallest_together', models.FloatField(null=True)),
                ('each_is_assumed', models.BooleanField(default=False)),
                ('together_is_assumed', models.BooleanField(default=False)),
                ('valued', models.JSONField()),
                ('asked', models.JSONField()),
                ('content_number', models.PositiveIntegerField()),
                ('content_since', models.DateTimeField(null=True)),
                ('replaced', models.DateTimeField(null=True)),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='board_editions', to='judging.judgespec')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='board_editions', to='benchmarks.release')),
                ('spans', models.JSONField(default=dict, null=True)),
                ('middles', models.JSONField(default=dict, null=True)),
                ('snapshot', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='leaderboard.boardsnapshot')),
                ('organisations', models.JSONField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('replaced__isnull', True)), fields=('release', 'judge_spec'), name='one_board_edition_per_era')],
            },
        ),
        migrations.CreateModel(
            name='BoardOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('metric', models.CharField(max_length=200)),
                ('descending', models.BinaryField()),
                ('ascending', models.BinaryField()),
                ('edition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='orders', to='leaderboard.boardedition')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('edition', 'metric'), name='board_order_once')],
            },
        ),
        migrations.CreateModel(
            name='BoardRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('row', models.PositiveIntegerField(null=True)),
                ('model', models.PositiveBigIntegerField()),
                ('name', models.CharField(max_length=100)),
                ('organisation', models.CharField(blank=True, max_length=100)),
                ('text', models.TextField()),
                ('is_open_weights', models.BooleanField()),
                ('is_verified', models.BooleanField()),
                ('origin', models.CharField(max_length=10)),
                ('submitted', models.DateTimeField()),
                ('handed_in_by', models.CharField(blank=True, max_length=200)),
                ('verified', models.TextField(blank=True)),
                ('rank', models.PositiveIntegerField(null=True)),
                ('best', models.PositiveIntegerField(null=True)),
                ('worst', models.PositiveIntegerField(null=True)),
                ('best_together', models.PositiveIntegerField(null=True)),
                ('worst_together', models.PositiveIntegerField(null=True)),
                ('ahead', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('low_together', models.FloatField(null=True)),
                ('high_together', models.FloatField(null=True)),
                ('is_kept_out', models.BooleanField()),
                ('codes', models.JSONField()),
                ('marks', models.JSONField()),
                ('sentence', models.TextField(blank=True)),
                ('same_answers_as', models.UUIDField(null=True)),
                ('older_texts', models.PositiveIntegerField()),
                ('unknown_texts', models.PositiveIntegerField()),
                ('firsts', models.JSONField()),
                ('beside', models.JSONField()),
                ('edition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='leaderboard.boardedition')),
                ('sheet', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.scoresheet')),
                ('scored', models.DateTimeField(null=True)),
                ('billions', models.FloatField(null=True)),
                ('verified_team', models.PositiveBigIntegerField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['edition', 'row'], name='board_rows_in_order'), models.Index(fields=['edition', 'same_answers_as'], name='board_rows_folded'), models.Index(fields=['edition', 'sheet'], name='board_rows_of_sheets')],
                'constraints': [models.UniqueConstraint(fields=('edition', 'position'), name='board_position_once')],
            },
        ),
        migrations.CreateModel(
            name='ShownRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('submission', models.UUIDField(db_index=True)),
                ('text', models.TextField()),
                ('figures', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='leaderboard.shownfigures')),
            ],
        ),
        migrations.CreateModel(
            name='JudgeComparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judges', models.JSONField(default=list)),
                ('pairs', models.JSONField(default=list)),
                ('left_out', models.PositiveIntegerField(default=0)),
                ('computed', models.DateTimeField()),
                ('benchmark', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='judge_comparison', to='benchmarks.benchmark')),
            ],
        ),
        migrations.CreateModel(
            name='EvidenceArchive',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('file', models.FileField(storage=benchmarks.submissions.models.private_storage, upload_to='')),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField(help_text='Bytes')),
                ('entries', models.PositiveIntegerField()),
                ('made', models.DateTimeField()),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.judgespec')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='benchmarks.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'judge_spec'), name='one_evidence_archive_per_era')],
            },
        ),
        migrations.CreateModel(
            name='DataExport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('begun', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('made', models.DateTimeField(blank=True, null=True)),
                ('file', models.FileField(blank=True, storage=leaderboard.models.export_storage, upload_to='')),
                ('size', models.PositiveBigIntegerField(default=0, help_text='Bytes')),
                ('owner', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='data_export', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('made__isnull', True)), fields=['asked'], name='data_exports_to_make')],
            },
        ),
        migrations.CreateModel(
            name='NoticeCursor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link', models.PositiveBigIntegerField()),
                ('paused', models.DateTimeField()),
                ('unconfirmed', models.DateTimeField()),
                ('described', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('finished', 'Judging finished'), ('paused', 'Judging paused'), ('needs-you', 'Something waits for you'), ('decided', 'Withdrawn, or staff decided about its rank'), ('rejudged', 'Judged or scored anew'), ('replaced', 'Replaced by a new version'), ('reviewed', 'A description that you wrote was reviewed')], max_length=10)),
                ('key', models.CharField(max_length=150)),
                ('title', models.CharField(max_length=250)),
                ('sentence', models.CharField(max_length=600)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('read', models.DateTimeField(null=True)),
                ('mail_at', models.DateTimeField(null=True)),
                ('mailed', models.DateTimeField(null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
                ('submission', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='submissions.submission')),
                ('happened', models.DateTimeField(null=True)),
                ('times', models.PositiveSmallIntegerField(db_default=1, default=1)),
                ('path', models.CharField(blank=True, db_default='', default='', max_length=200)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', '-id'], name='notices_newest'), models.Index(condition=models.Q(('read__isnull', True)), fields=['owner'], name='notices_unread'), models.Index(condition=models.Q(('mail_at__isnull', False), ('mailed__isnull', True)), fields=['mail_at'], name='notices_to_mail')],
                'constraints': [models.UniqueConstraint(fields=('owner', 'key'), name='told_once_of_the_same')],
            },
        ),
        migrations.CreateModel(
            name='NoticeChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('finished', 'Judging finished'), ('paused', 'Judging paused'), ('needs-you', 'Something waits for you'), ('decided', 'Withdrawn, or staff decided about its rank'), ('rejudged', 'Judged or scored anew'), ('replaced', 'Replaced by a new version'), ('reviewed', 'A description that you wrote was reviewed')], max_length=10)),
                ('how', models.CharField(choices=[('instant', 'at once'), ('daily', 'once a day'), ('off', 'no mail')], max_length=10)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notice_choices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('owner', 'kind'), name='one_choice_per_kind')],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('secret', models.CharField(max_length=80)),
                ('on_finished', models.BooleanField(default=True)),
                ('on_paused', models.BooleanField(default=False)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('off', models.DateTimeField(null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
                ('on_replaced', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(max_length=10)),
                ('body', models.TextField()),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
                ('next_try', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=200)),
                ('ended', models.DateTimeField(null=True)),
                ('arrived', models.BooleanField(default=False)),
                ('notice', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.notice')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='leaderboard.webhook')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('next_try__isnull', False)), fields=['next_try'], name='deliveries_due'), models.Index(fields=['webhook', '-id'], name='deliveries_newest')],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'notice'), name='delivered_once')],
            },
        ),
        migrations.CreateModel(
            name='StudyReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stamp', models.CharField(max_length=64)),
                ('parts', models.JSONField(default=list)),
                ('is_shown', models.BooleanField(default=False)),
                ('computed', models.DateTimeField()),
                ('file', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report', to='panel.ratingfile')),
                ('is_made_up', models.BooleanField(db_default=False, default=False)),
            ],
        ),
        migrations.CreateModel(
            name='StudyAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('dimension', models.CharField(max_length=50)),
                ('answer', models.CharField(max_length=20)),
                ('missing', models.PositiveIntegerField(default=0)),
                ('agreement', models.JSONField()),
                ('people', models.JSONField()),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.judgespec')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='benchmarks.release')),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='leaderboard.studyreport')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('report', 'judge_spec', 'release', 'dimension'), name='one_answer_per_judge_and_study')],
            },
        ),
        migrations.CreateModel(
            name='PersonInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('groups', models.JSONField(default=list)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires', models.DateTimeField()),
                ('ended', models.DateTimeField(blank=True, null=True)),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'invitation of a person',
                'verbose_name_plural': 'invitations of people',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('ended__isnull', True)), fields=['email'], name='person_invitations_open'), models.Index(fields=['invited_by', 'created'], name='person_invitations_of')],
            },
        ),
        # Backwards the groups stay: people are in them.
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]
