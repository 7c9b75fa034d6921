import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [("benchmarks", name) for name in """
        0001_initial
        0002_description_reviews
        0003_annotators_and_reviewers
        0004_reference_maker
        0005_unsaved_text
        0006_floor_version
        0007_renditions
        0008_absent_pictures
        0009_description_state
        0010_release_archives
        0011_question_report
        0012_who_answers_reports
        0013_question_report_changes
        0014_claims_and_assignments
        0015_who_assigns_figures
        0016_label_corrections
        0017_who_corrects_labels
        0018_staff_actions
        0019_reviews_of_descriptions
        0020_copies_of_descriptions
        0021_corrections_of_references
        0022_next_releases
    """.split()]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Benchmark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True)),
                ('title', models.CharField(max_length=100)),
            ],
            options={
                'ordering': ['title'],
            },
        ),
        migrations.CreateModel(
            name='Ability',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100)),
                ('title', models.CharField(max_length=200)),
                ('position', models.PositiveSmallIntegerField()),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='abilities', to='benchmarks.benchmark')),
            ],
            options={
                'verbose_name_plural': 'abilities',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'slug'), name='ability_once')],
            },
        ),
        migrations.CreateModel(
            name='Figure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='Name in the dataset', max_length=200)),
                ('content_hash', models.CharField(max_length=64)),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='figures', to='benchmarks.benchmark')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'content_hash'), name='figure_once')],
            },
        ),
        migrations.CreateModel(
            name='Description',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('language', models.CharField(default='en', max_length=10)),
                ('text', models.TextField()),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('in review', 'In Review'), ('approved', 'Approved'), ('sent back', 'Sent Back'), ('superseded', 'Superseded')], default='draft', max_length=10)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('figure', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='descriptions', to='benchmarks.figure')),
                ('review_comment', models.TextField(blank=True, help_text='What the reviewer said of it')),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('reviewed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('superseded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='closed_versions', to='benchmarks.description')),
                ('words', models.PositiveIntegerField(blank=True, null=True)),
                ('copied_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='copies', to='benchmarks.description')),
            ],
            options={
                'ordering': ['figure', 'language', '-version'],
                'indexes': [models.Index(fields=['state', 'figure', 'language'], name='description_state'), models.Index(condition=models.Q(('reviewed_at__isnull', False)), fields=['reviewed_at'], name='description_reviewed'), models.Index(fields=['created'], name='description_created')],
                'constraints': [models.UniqueConstraint(fields=('figure', 'language', 'version'), name='description_version_once'), models.CheckConstraint(condition=models.Q(('approved_by__isnull', True), ('author__isnull', True), models.Q(('approved_by', models.F('author')), _negated=True), _connector='OR'), name='nobody_approves_their_own_description'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent back'), _negated=True), models.Q(('review_comment', ''), _negated=True), _connector='OR'), name='sent_back_with_a_comment'), models.CheckConstraint(condition=models.Q(('approved_by__isnull', True), ('submitted_by__isnull', True), models.Q(('approved_by', models.F('submitted_by')), _negated=True), _connector='OR'), name='nobody_approves_what_they_submitted')],
                'permissions': [('approve_description', 'Can approve descriptions and send them back')],
            },
        ),
        migrations.CreateModel(
            name='FigureImage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('name', models.CharField(help_text='Path in the dataset', max_length=300)),
                ('file', models.FileField(blank=True, upload_to='')),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('width', models.PositiveIntegerField(null=True)),
                ('height', models.PositiveIntegerField(null=True)),
                ('figure', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='images', to='benchmarks.figure')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('figure', 'position'), name='figure_image_position_once')],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True)),
                ('title', models.CharField(max_length=200)),
                ('language', models.CharField(default='en', max_length=10)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('frozen', 'Frozen'), ('retired', 'Retired')], default='draft', max_length=10)),
                ('checksum', models.CharField(help_text='SHA-256 over the content hashes of its questions, in order', max_length=64)),
                ('question_count', models.PositiveIntegerField()),
                ('references_are_public', models.BooleanField(default=False)),
                ('anomalies', models.JSONField(default=list, help_text='Faults of the dataset: imported as they are, flagged')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('opened', models.DateTimeField(blank=True, null=True)),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='benchmarks.benchmark')),
                ('floor_version', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Which baselines it has; the sweep makes newer ones')),
                ('creator', models.CharField(blank=True, db_default='', default='', help_text='Who made the dataset', max_length=200)),
                ('licence', models.CharField(blank=True, db_default='', default='', help_text='Name of its licence, as CC-BY-4.0', max_length=200)),
                ('licence_url', models.CharField(blank=True, db_default='', default='', help_text='Where the licence can be read', max_length=300, validators=[django.core.validators.URLValidator(schemes=['https', 'http'])])),
                ('passes_pictures_on', models.BooleanField(db_default=False, default=False, help_text='The licence lets this site hand its pictures out in an archive')),
                ('source', models.CharField(blank=True, db_default='', default='', help_text='Where the dataset is from: an address', max_length=300)),
                ('closed', models.DateTimeField(blank=True, help_text='Since when it is frozen or retired', null=True)),
                ('follows', models.ForeignKey(blank=True, help_text='The closed release whose questions it has, to be corrected here', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='next_releases', to='benchmarks.release')),
            ],
            options={
                'ordering': ['-created', '-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'draft')), fields=('follows',), name='one_next_draft_of_a_release')],
            },
        ),
        migrations.CreateModel(
            name='Subtask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100)),
                ('title', models.CharField(max_length=200)),
                ('position', models.PositiveSmallIntegerField()),
                ('ability', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subtasks', to='benchmarks.ability')),
            ],
            options={
                'ordering': ['ability__position', 'position'],
                'constraints': [models.UniqueConstraint(fields=('ability', 'slug'), name='subtask_once')],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(max_length=200)),
                ('content_hash', models.CharField(max_length=64)),
                ('group', models.CharField(help_text='Unit of resampling', max_length=200)),
                ('text', models.TextField()),
                ('facts', models.JSONField(default=dict, help_text='Public, meaning known to the protocol')),
                ('truth', models.JSONField(default=dict, help_text='Ground truth: never leaves the judge and the scorer')),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='benchmarks.benchmark')),
                ('figure', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='benchmarks.figure')),
                ('subtask', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='benchmarks.subtask')),
                ('corrected_truth', models.JSONField(blank=True, help_text='What is judged and scored by in its place, of the newest LabelCorrection', null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'content_hash'), name='question_once')],
            },
        ),
        migrations.CreateModel(
            name='Reference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(default=1)),
                ('text', models.TextField()),
                ('origin', models.CharField(choices=[('dataset', 'Dataset'), ('human', 'Human'), ('generated', 'Generated')], max_length=10)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('description', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='references', to='benchmarks.description')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='references', to='benchmarks.question')),
                ('maker', models.CharField(blank=True, help_text='The model and prompts, or the person, behind it', max_length=200)),
            ],
            options={
                'ordering': ['question', '-version'],
                'constraints': [models.UniqueConstraint(fields=('question', 'version'), name='reference_version_once')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='benchmarks.question')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='benchmarks.release')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('release', 'question'), name='question_once_in_release'), models.UniqueConstraint(fields=('release', 'position'), name='position_once_in_release')],
            },
        ),
        migrations.CreateModel(
            name='UnsavedText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=300)),
                ('title', models.CharField(max_length=300)),
                ('fields', models.JSONField()),
                ('typed', models.DateTimeField(db_index=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'path'), name='unsaved_text_once_per_form')],
            },
        ),
        migrations.CreateModel(
            name='Rendition',
            fields=[
                ('sha256', models.CharField(help_text='Of the picture', max_length=64, primary_key=True, serialize=False)),
                ('file', models.FileField(blank=True, upload_to='')),
            ],
        ),
        migrations.CreateModel(
            name='AbsentPicture',
            fields=[
                ('sha256', models.CharField(help_text='Of the picture', max_length=64, primary_key=True, serialize=False)),
                ('looked', models.DateTimeField(help_text='When it was last looked for')),
            ],
        ),
        migrations.CreateModel(
            name='ReleaseArchive',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('file', models.FileField(upload_to='')),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField(help_text='Bytes')),
                ('pictures', models.PositiveIntegerField()),
                ('missing', models.PositiveIntegerField()),
                ('questions_sha256', models.CharField(max_length=64)),
                ('made', models.DateTimeField()),
                ('release', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='archive', to='benchmarks.release')),
            ],
        ),
        migrations.CreateModel(
            name='QuestionReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('category', models.CharField(choices=[('reference', 'The reference is wrong'), ('ambiguous', 'The question can be understood in several ways'), ('picture', 'The picture does not fit the question'), ('other', 'Something else')], max_length=10)),
                ('text', models.TextField()),
                ('state', models.CharField(choices=[('open', 'Open'), ('confirmed', 'Confirmed'), ('not a problem', 'No Problem')], default='open', max_length=13)),
                ('answer', models.TextField(blank=True, help_text='What is answered to it; public where it is confirmed')),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('answered', models.DateTimeField(blank=True, null=True)),
                ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='benchmarks.question')),
                ('reporter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created', '-id'],
                'indexes': [models.Index(fields=['state', 'question'], name='question_reports_by_state'), models.Index(fields=['reporter', 'created'], name='question_reports_of_person')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('question', 'reporter'), name='one_open_report_of_a_question_per_person'), models.CheckConstraint(condition=models.Q(('state', 'open'), models.Q(('answer', ''), _negated=True), _connector='OR'), name='reports_end_with_an_answer')],
            },
        ),
        migrations.CreateModel(
            name='QuestionReportChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('open', 'Open'), ('confirmed', 'Confirmed'), ('not a problem', 'No Problem')], max_length=13)),
                ('answer', models.TextField(blank=True)),
                ('why', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='benchmarks.questionreport')),
            ],
            options={
                'ordering': ['at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(max_length=10)),
                ('note', models.CharField(blank=True, help_text='What to look at', max_length=200)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('figure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='benchmarks.figure')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'permissions': [('assign_figure', 'Can assign figures to annotators')],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('figure', 'language'), name='figure_assigned_once')],
            },
        ),
        migrations.CreateModel(
            name='Claim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(max_length=10)),
                ('since', models.DateTimeField(help_text='When the form was opened')),
                ('until', models.DateTimeField(db_index=True, help_text='When it ends without a sign of life')),
                ('figure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='benchmarks.figure')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('figure', 'language', 'user'), name='claim_once_per_person')],
            },
        ),
        migrations.CreateModel(
            name='LabelCorrection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.TextField()),
                ('label', models.TextField()),
                ('truth', models.JSONField()),
                ('reference', models.TextField(blank=True)),
                ('reason', models.TextField(help_text='Public once it is confirmed')),
                ('state', models.CharField(choices=[('in review', 'In Review'), ('confirmed', 'Confirmed'), ('sent back', 'Sent Back')], default='in review', max_length=10)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided', models.DateTimeField(null=True)),
                ('comment', models.TextField(blank=True, help_text='Why it was sent back')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='label_corrections', to='benchmarks.question')),
                ('made_reference', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='label_correction', to='benchmarks.reference')),
            ],
            options={
                'ordering': ['-created', '-id'],
                'permissions': [('confirm_labelcorrection', 'Can confirm corrected labels and send them back')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'in review')), fields=('question',), name='one_correction_in_review_per_question'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'confirmed'), _negated=True), models.Q(('decided_by', models.F('author')), _negated=True), _connector='OR'), name='nobody_confirms_their_own_correction'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent back'), _negated=True), models.Q(('comment', ''), _negated=True), _connector='OR'), name='a_correction_goes_back_with_a_comment'), models.CheckConstraint(condition=models.Q(models.Q(('decided__isnull', True), ('state', 'in review')), models.Q(models.Q(('state', 'in review'), _negated=True), ('decided__isnull', False)), _connector='OR'), name='a_decided_correction_says_when')],
            },
        ),
        migrations.CreateModel(
            name='LabelDoubt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('open', 'Open'), ('not a problem', 'No Problem'), ('corrected', 'Corrected')], default='open', max_length=13)),
                ('suspicion', models.FloatField(null=True)),
                ('share', models.FloatField(help_text='Of the entries that get it right, 0 to 1', null=True)),
                ('entries', models.PositiveIntegerField(null=True)),
                ('opened', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('question', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='doubt', to='benchmarks.question')),
            ],
            options={
                'ordering': ['-opened', '-id'],
                'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['opened'], name='open_doubts')],
            },
        ),
        migrations.CreateModel(
            name='StaffAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('about', models.CharField(max_length=100)),
                ('object_id', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=200)),
                ('what', models.CharField(max_length=40)),
                ('sentence', models.TextField(blank=True)),
                ('told', models.TextField(blank=True)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('undoes', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='undone_by', to='benchmarks.staffaction')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['about', 'object_id'], name='staff_actions_of_object'), models.Index(fields=['at'], name='staff_actions_by_time')],
            },
        ),
        migrations.AddField(
            model_name='release',
            name='questions',
            field=models.ManyToManyField(related_name='releases', through='benchmarks.ReleaseQuestion', to='benchmarks.question'),
        ),
    ]
