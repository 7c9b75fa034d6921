import benchmarks.submissions.models
import django.db.models.deletion
import judging.coordination.clock
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [("panel", name) for name in """
        0001_initial
        0002_rating_guards
        0003_studies
        0004_study_guards
    """.split()]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('benchmarks', '0001_squashed_0022_next_releases'),
        ('submissions', '0001_squashed_0019_fact_changes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('title', models.CharField(max_length=100)),
                ('questionnaire', models.CharField(max_length=300)),
                ('size', models.PositiveIntegerField(help_text='Questions drawn')),
                ('seed', models.PositiveBigIntegerField()),
                ('raters_per_item', models.PositiveSmallIntegerField(default=3)),
                ('check_every', models.PositiveSmallIntegerField(default=20, help_text='One item in so many has an obvious answer, to see who looks; 0: none')),
                ('note', models.TextField(blank=True, help_text='What raters of this study read as well', max_length=4000)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed'), ('withdrawn', 'Withdrawn')], default='draft', max_length=10)),
                ('created', models.DateTimeField(default=judging.coordination.clock.database_now)),
                ('opened', models.DateTimeField(blank=True, null=True)),
                ('expires', models.DateTimeField(blank=True, help_text='When the links of its raters end', null=True)),
                ('closed', models.DateTimeField(blank=True, null=True)),
                ('withdrawn', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was withdrawn', max_length=300)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='benchmarks.release')),
                ('submissions', models.ManyToManyField(related_name='studies', to='submissions.submission')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-created', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('raters_per_item__gte', 1), ('raters_per_item__lte', 20)), name='raters_of_an_item'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'withdrawn'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='study_ends_with_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='RatingFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('file', models.FileField(storage=benchmarks.submissions.models.private_storage, upload_to='')),
                ('file_name', models.CharField(help_text='As its sender called it; shown, never used as a path', max_length=200)),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('rating_count', models.PositiveIntegerField(verbose_name='ratings')),
                ('created', models.DateTimeField()),
                ('withdrawn', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was withdrawn', max_length=300)),
                ('submissions', models.ManyToManyField(related_name='rating_files', to='submissions.submission')),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, help_text='Whose votes these are; none where the file came from elsewhere', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='files', to='panel.study')),
            ],
            options={
                'ordering': ['-created', 'id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn__isnull', True)), fields=('sha256',), name='one_standing_file_of_ratings'), models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('withdrawn__isnull', True)), models.Q(('withdrawn__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='withdrawn_with_a_reason'), models.CheckConstraint(condition=models.Q(('rating_count__gt', 0)), name='a_file_of_ratings_has_some')],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rater', models.CharField(max_length=100)),
                ('dimension', models.CharField(max_length=50)),
                ('score', models.SmallIntegerField()),
                ('is_withdrawn', models.BooleanField(default=False)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='submissions.answer')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='panel.ratingfile')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_withdrawn', False)), fields=('answer', 'rater', 'dimension'), name='one_standing_rating'), models.CheckConstraint(condition=models.Q(models.Q(('rater', ''), _negated=True), models.Q(('dimension', ''), _negated=True)), name='a_rating_names_all')],
            },
        ),
        migrations.CreateModel(
            name='StudyItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('shown_answer', models.TextField(blank=True)),
                ('shown_reference', models.TextField(blank=True, help_text='Empty where none is shown')),
                ('is_check', models.BooleanField(default=False)),
                ('check_dimension', models.CharField(blank=True, max_length=50)),
                ('passed_by', models.CharField(blank=True, max_length=100)),
                ('about', models.CharField(blank=True, help_text='What a check shows', max_length=100)),
                ('wanted', models.PositiveSmallIntegerField()),
                ('taken', models.PositiveSmallIntegerField(default=0)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='study_items', to='submissions.answer')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='panel.study')),
            ],
            options={
                'ordering': ['position'],
                'indexes': [models.Index(condition=models.Q(('is_check', False), ('taken__lt', models.F('wanted'))), fields=['study', 'position'], name='study_items_to_give_out')],
                'constraints': [models.UniqueConstraint(fields=('study', 'position'), name='study_position_once'), models.CheckConstraint(condition=models.Q(('is_check', False), models.Q(models.Q(('passed_by', ''), _negated=True), models.Q(('check_dimension', ''), _negated=True)), _connector='OR'), name='a_check_can_be_passed')],
            },
        ),
        migrations.CreateModel(
            name='StudyRater',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(blank=True, max_length=100)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('link_made', models.DateTimeField(blank=True, null=True)),
                ('invited', models.DateTimeField(default=judging.coordination.clock.database_now)),
                ('total', models.PositiveIntegerField(default=0)),
                ('removed', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why removed', max_length=300)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='studies_rated', to=settings.AUTH_USER_MODEL)),
                ('invited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='raters', to='panel.study')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='rater_number_once'), models.UniqueConstraint(fields=('study', 'account'), name='rater_account_once'), models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('digest',), name='rater_link_once')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('turn', models.PositiveIntegerField()),
                ('lease_until', models.DateTimeField()),
                ('voted', models.DateTimeField(blank=True, null=True)),
                ('is_released', models.BooleanField(default=False)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='panel.studyitem')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='panel.studyrater')),
            ],
            options={
                'ordering': ['turn'],
                'indexes': [models.Index(fields=['rater', 'voted', 'turn'], name='assignments_of_rater'), models.Index(condition=models.Q(('is_released', False), ('voted__isnull', True)), fields=['lease_until'], name='assignments_that_expire')],
                'constraints': [models.UniqueConstraint(fields=('item', 'rater'), name='item_once_per_rater')],
            },
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('dimension', models.CharField(max_length=50)),
                ('value', models.SmallIntegerField()),
                ('at', models.DateTimeField()),
                ('milliseconds', models.PositiveIntegerField(blank=True, null=True)),
                ('key', models.UUIDField()),
                ('taken_back', models.DateTimeField(blank=True, null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='panel.studyitem')),
                ('rater', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='panel.studyrater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('taken_back__isnull', True)), fields=('item', 'rater', 'dimension'), name='one_standing_vote'), models.UniqueConstraint(fields=('rater', 'key', 'dimension'), name='a_vote_is_sent_once')],
            },
        ),
    ]
