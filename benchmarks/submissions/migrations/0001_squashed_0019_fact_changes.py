import benchmarks.submissions.models
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [("submissions", name) for name in """
        0001_initial
        0002_hidden_baselines
        0003_quota
        0004_flags
        0005_near_equals
        0006_names_and_badges
        0007_skeletons
        0008_newest_public
        0009_sweeps_find_what_is_due
        0010_loose_files
        0011_newest_first
        0012_model_pages
        0013_slugs
        0014_refused_files
        0015_publishing_tokens
        0016_teams
        0017_withdrawn_and_replaced
        0018_incoming_files
        0019_fact_changes
    """.split()]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('benchmarks', '0001_squashed_0022_next_releases'),
    ]

    operations = [
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('prefix', models.CharField(max_length=12)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('scope', models.CharField(choices=[('read', 'Read'), ('submit', 'Submit'), ('publish', 'Publish')], max_length=10)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expires', models.DateTimeField()),
                ('last_used', models.DateTimeField(blank=True, null=True)),
                ('revoked', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='RankingDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_ranked', models.BooleanField()),
                ('reason', models.CharField(max_length=300)),
                ('decided', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-decided', '-id'],
            },
        ),
        migrations.CreateModel(
            name='SketchSecret',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret', models.CharField(max_length=32)),
                ('release', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='benchmarks.release')),
            ],
        ),
        migrations.CreateModel(
            name='VerificationDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_verified', models.BooleanField()),
                ('reason', models.CharField(max_length=300)),
                ('decided', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-decided', '-id'],
            },
        ),
        migrations.CreateModel(
            name='LooseFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('since', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='RefusedFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('file_name', models.CharField(max_length=200)),
                ('report', models.BinaryField(help_text='Problems and missing ids: JSON, packed (refusals.py)')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refused_files', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('closed', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-created', '-id'],
            },
        ),
        migrations.CreateModel(
            name='EvaluatedModel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('organisation', models.CharField(blank=True, max_length=100)),
                ('link', models.URLField(blank=True)),
                ('parameters_billions', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
                ('is_open_weights', models.BooleanField(default=False)),
                ('notes', models.TextField(blank=True, max_length=2000)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='evaluated_models', to=settings.AUTH_USER_MODEL)),
                ('skeleton', models.CharField(blank=True, db_default='', db_index=True, editable=False, help_text='Equal for names that are easily taken for one another', max_length=200)),
                ('facts_changed', models.DateTimeField(editable=False, help_text='When its owner last changed what is said of it', null=True)),
                ('licence', models.CharField(blank=True, db_default='', default='', help_text='Of the weights', max_length=100)),
                ('slug', models.SlugField(editable=False, help_text='In addresses; never changed. None only of a model that older code made', max_length=100, null=True, unique=True)),
                ('training_data', models.TextField(blank=True, db_default='', default='', help_text='What its makers say it was trained on', max_length=2000)),
                ('team', models.ForeignKey(blank=True, help_text='Whose it is, where a member handed it in for a team', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='evaluated_models', to='submissions.team')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('owner__isnull', True)), fields=('name',), name='model_name_once_without_owner'), models.UniqueConstraint(condition=models.Q(('team__isnull', True)), fields=('owner', 'name'), name='model_name_once_per_owner'), models.UniqueConstraint(fields=('team', 'name'), name='model_name_once_per_team')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('origin', models.CharField(choices=[('upload', 'Upload'), ('baseline', 'Baseline'), ('sample', 'Sample')], default='upload', max_length=10)),
                ('visibility', models.CharField(choices=[('private', 'Private'), ('public', 'Public')], default='private', max_length=10)),
                ('file', models.FileField(blank=True, help_text='None where it was cancelled', storage=benchmarks.submissions.models.private_storage, upload_to='')),
                ('file_name', models.CharField(help_text='As its sender called it; shown, never used as a path', max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('reading_notes', models.JSONField(default=list, help_text='What the reader accepted with a remark')),
                ('client_token', models.UUIDField(default=uuid.uuid4, help_text='A form or request sent twice names one submission')),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('confirmed', models.DateTimeField(blank=True, null=True)),
                ('withdrawn', models.DateTimeField(blank=True, null=True)),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='submissions.evaluatedmodel')),
                ('owner', models.ForeignKey(blank=True, help_text='Who handed it in', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='benchmarks.release')),
                ('repeats_hidden_text', models.BooleanField(db_default=False, default=False, help_text='A baseline made of descriptions: its answers are shown where references are')),
                ('finished', models.DateTimeField(blank=True, help_text='First judged to its end; the stage that scores sets it, and its owner may submit the next', null=True)),
                ('is_spent', models.BooleanField(db_default=True, default=True, help_text="Takes one of its owner's places; not what came by the terminal, or what the site failed to judge")),
                ('answers_digest', models.CharField(blank=True, db_default='', help_text='Equal for the same answers', max_length=64)),
                ('flags', models.JSONField(blank=True, db_default=[], default=list, help_text='What is remarkable about its answers as a whole')),
                ('flags_version', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Of the rules that told them; 0: not told yet')),
                ('decision', models.ForeignKey(blank=True, help_text='The newest one of staff; public', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.rankingdecision')),
                ('verification', models.ForeignKey(blank=True, help_text='The newest one of staff; public', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.verificationdecision')),
                ('was_public', models.BooleanField(db_default=False, default=False, help_text="When it was withdrawn: its model's page says so")),
                ('team', models.ForeignKey(blank=True, help_text="Whose it is, where it was submitted for a team: its members', nobody else's", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='submissions.team')),
                ('replaced_by', models.ForeignKey(blank=True, help_text='Which one took its place, and withdrew it', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='submissions.submission')),
                ('replacement_settled', models.DateTimeField(blank=True, help_text='When it took the place of what it replaces, or that was found withdrawn', null=True)),
                ('replaces', models.ForeignKey(blank=True, help_text='An earlier submission of the same owner, whose place it takes once it is scored and public', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replacements', to='submissions.submission')),
                ('withdrawal_reason', models.CharField(blank=True, db_default='', default='', help_text='Public where the submission was', max_length=300)),
            ],
            options={
                'ordering': ['-created', 'id'],
                'indexes': [models.Index(condition=models.Q(('visibility', 'public'), ('withdrawn__isnull', True)), fields=['-created', '-id'], name='public_submissions_newest'), models.Index(condition=models.Q(('finished__isnull', True), ('withdrawn__isnull', True)), fields=['finished', 'withdrawn', 'created'], name='submission_unfinished'), models.Index(condition=models.Q(('finished__isnull', False)), fields=['flags_version'], name='submission_flags_version'), models.Index(fields=['-created', 'id'], name='submissions_newest'), models.Index(fields=['owner', '-created', 'id'], name='submissions_of_owner'), models.Index(condition=models.Q(('replacement_settled__isnull', True), ('replaces__isnull', False), ('visibility', 'public'), ('withdrawn__isnull', True)), fields=['finished'], name='replacements_due')],
                'constraints': [models.UniqueConstraint(fields=('owner', 'client_token'), name='submission_once_per_client_token'), models.UniqueConstraint(condition=models.Q(('owner__isnull', True)), fields=('client_token',), name='system_submission_once_per_token'), models.CheckConstraint(condition=models.Q(('visibility', 'private'), ('confirmed__isnull', False), _connector='OR'), name='only_confirmed_is_public'), models.UniqueConstraint(condition=models.Q(('replaces__isnull', False), ('withdrawn__isnull', True)), fields=('replaces',), name='one_replacement_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(blank=True)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='benchmarks.question')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='submissions.submission')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('submission', 'question'), name='one_answer_per_question')],
            },
        ),
        migrations.CreateModel(
            name='AnswerBand',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.BigIntegerField(db_index=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bands', to='submissions.submission')),
            ],
        ),
        migrations.CreateModel(
            name='AnswerSketch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hashes', models.BinaryField()),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='sketch', to='submissions.submission')),
            ],
        ),
        migrations.CreateModel(
            name='NearEqual',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('equal', models.PositiveIntegerField(help_text='Answers that are equal')),
                ('of', models.PositiveIntegerField(help_text='Answers in all')),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='near_equal_to', to='submissions.submission')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='near_equals', to='submissions.submission')),
            ],
            options={
                'ordering': ['-equal', 'id'],
                'constraints': [models.UniqueConstraint(fields=('submission', 'other'), name='near_equals_once')],
            },
        ),
        migrations.CreateModel(
            name='PublicName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('skeleton', models.CharField(editable=False, max_length=200, unique=True)),
                ('owner', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='public_name', to=settings.AUTH_USER_MODEL)),
                ('team', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='public_name', to='submissions.team')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('owner__isnull', False), ('team__isnull', True)), models.Q(('owner__isnull', True), ('team__isnull', False)), _connector='OR'), name='name_of_person_or_team')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires', models.DateTimeField()),
                ('ended', models.DateTimeField(blank=True, null=True)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='submissions.team')),
            ],
            options={
                'ordering': ['-created', '-id'],
                'indexes': [models.Index(fields=['invited_by', 'created'], name='invitations_of_person')],
            },
        ),
        migrations.CreateModel(
            name='LimitRaise',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submissions_day', models.PositiveIntegerField(blank=True, help_text='Files within 24 hours; empty: as for everybody', null=True)),
                ('unfinished', models.PositiveIntegerField(blank=True, help_text='Files not judged yet; empty: as for everybody', null=True)),
                ('files', models.PositiveIntegerField(blank=True, help_text='Files kept; empty: as for everybody', null=True)),
                ('until', models.DateTimeField()),
                ('reason', models.CharField(max_length=300)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='limit_raises', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='limit_raises', to='submissions.team')),
            ],
            options={
                'ordering': ['-created', '-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('owner__isnull', False), ('team__isnull', True)), models.Q(('owner__isnull', True), ('team__isnull', False)), _connector='OR'), name='limits_of_person_or_team')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('member', 'Member')], default='member', max_length=10)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='submissions.team')),
            ],
            options={
                'ordering': ['since', 'id'],
                'constraints': [models.UniqueConstraint(fields=('team', 'user'), name='member_once_per_team')],
            },
        ),
        migrations.CreateModel(
            name='TeamVerification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_verified', models.BooleanField()),
                ('reason', models.CharField(max_length=300)),
                ('decided', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verifications', to='submissions.team')),
            ],
            options={
                'ordering': ['-decided', '-id'],
            },
        ),
        migrations.CreateModel(
            name='IncomingFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_name', models.CharField(max_length=200)),
                ('client_token', models.UUIDField()),
                ('started', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='incoming_files', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='FactChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=40)),
                ('before', models.TextField(blank=True, max_length=2000)),
                ('after', models.TextField(blank=True, max_length=2000)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('changed', models.DateTimeField(default=django.utils.timezone.now)),
                ('by_staff', models.BooleanField(default=False, help_text='And not by whose model it is')),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fact_changes', to='submissions.evaluatedmodel')),
            ],
            options={
                'ordering': ['-changed', '-id'],
                'indexes': [models.Index(fields=['model', '-changed', '-id'], name='fact_changes_newest')],
            },
        ),
        migrations.AddField(
            model_name='rankingdecision',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranking_decisions', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='verificationdecision',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verification_decisions', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='team',
            name='verification',
            field=models.ForeignKey(blank=True, help_text='The newest decision of staff; public', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='submissions.teamverification'),
        ),
    ]
