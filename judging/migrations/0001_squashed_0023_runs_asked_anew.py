import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [("judging", name) for name in """
        0001_initial
        0002_reference_calls
        0003_reference_requests
        0004_engine
        0005_review
        0006_limits
        0007_settled_index
        0008_canary
        0009_answers_as
        0010_judge_health
        0011_reasons_without_replies
        0012_call_readings
        0013_guarded_runs
        0014_reference_proposals
        0015_judged_texts
        0016_asked_anew
        0017_sweeps_find_what_is_due
        0018_runs_in_order
        0019_fewer_indexes_of_judgements
        0020_dry_runs
        0021_stopped_reference_requests
        0022_stale_judgements
        0023_runs_asked_anew
    """.split()]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('benchmarks', '0001_squashed_0022_next_releases'),
        ('submissions', '0001_squashed_0019_fact_changes'),
    ]

    operations = [
        migrations.CreateModel(
            name='PromptSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.SlugField()),
                ('version', models.SlugField()),
                ('about', models.TextField(blank=True)),
                ('texts', models.JSONField()),
                ('content_hash', models.CharField(max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('protocol', 'version'), name='prompt_set_version_once')],
            },
        ),
        migrations.CreateModel(
            name='JudgeSpec',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.SlugField()),
                ('slug', models.SlugField(unique=True)),
                ('kind', models.CharField(choices=[('rules', 'Rules'), ('openai', 'Openai'), ('scripted', 'Scripted')], max_length=10)),
                ('endpoint', models.CharField(blank=True, help_text='Alias in JUDGE_ENDPOINTS; never an address', max_length=50)),
                ('model', models.CharField(blank=True, max_length=100)),
                ('parameters', models.JSONField(default=dict)),
                ('parser', models.CharField(max_length=20)),
                ('parser_version', models.CharField(max_length=20)),
                ('repeats', models.PositiveSmallIntegerField(default=1)),
                ('content_hash', models.CharField(max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('prompt_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='judging.promptset')),
                ('answers_as', models.CharField(blank=True, db_default='', help_text='The model the endpoint must report; empty: any one', max_length=100)),
            ],
        ),
        migrations.CreateModel(
            name='JudgeRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('planned', models.DateTimeField(blank=True, null=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='submissions.submission')),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.judgespec')),
                ('pause_kind', models.CharField(blank=True, choices=[('', 'None'), ('budget', 'Budget'), ('endpoint', 'Endpoint'), ('judge', 'Judge'), ('person', 'Person'), ('fault', 'Fault')], default='', max_length=10)),
                ('pause_reason', models.CharField(blank=True, max_length=300)),
                ('paused', models.DateTimeField(blank=True, null=True)),
                ('fruitless', models.PositiveIntegerField(db_default=0, default=0, help_text='Replies and refusals in a row that gave no verdict, of all processes together')),
                ('failures', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('held_until', models.DateTimeField(blank=True, null=True)),
                ('asked_anew', models.DateTimeField(blank=True, null=True)),
                ('revision', models.PositiveIntegerField(db_default=1, default=1)),
                ('unscored', models.PositiveSmallIntegerField(db_default=1, default=1, editable=False, null=True)),
                ('dry_run', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['created', 'id'],
                'indexes': [models.Index(condition=models.Q(('unscored__isnull', False)), fields=['unscored'], name='run_unscored'), models.Index(condition=models.Q(('paused__isnull', False)), fields=['paused'], name='run_paused'), models.Index(fields=['planned'], name='run_planned'), models.Index(fields=['judge_spec', 'planned'], name='run_planned_by_spec'), models.Index(fields=['created', 'id'], name='runs_in_order'), models.Index(condition=models.Q(('dry_run__isnull', False)), fields=['dry_run'], name='run_dry_run'), models.Index(condition=models.Q(('asked_anew__isnull', False), ('unscored__isnull', False)), fields=['unscored'], name='run_asked_anew')],
                'constraints': [models.UniqueConstraint(fields=('submission', 'judge_spec'), name='one_run_per_spec')],
            },
        ),
        migrations.CreateModel(
            name='ReferenceRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(help_text='Alias in JUDGE_ENDPOINTS', max_length=50)),
                ('model', models.CharField(max_length=100)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('finished', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=300)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reference_requests', to='benchmarks.release')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('calls', models.PositiveIntegerField(db_default=0, default=0)),
                ('cost', models.BigIntegerField(db_default=0, default=0)),
                ('everything', models.BooleanField(db_default=False, default=False, help_text='Asks for a reference of every question whose figure has a description', verbose_name='also where the reference is up to date')),
                ('stopped', models.DateTimeField(help_text='When somebody said that it is enough', null=True)),
                ('stopped_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('alias', models.CharField(max_length=50, unique=True)),
                ('next_request', models.DateTimeField(null=True)),
                ('next_tokens', models.DateTimeField(null=True)),
                ('held_until', models.DateTimeField(null=True)),
                ('hold_reason', models.CharField(blank=True, max_length=300)),
                ('halted', models.DateTimeField(null=True)),
                ('halt_reason', models.CharField(blank=True, max_length=300)),
                ('recent_tokens', models.JSONField(default=dict, help_text='Of the last minute, by grains of their starts')),
                ('answered', models.DateTimeField(null=True)),
                ('at_once', models.PositiveIntegerField(null=True)),
                ('failures', models.PositiveIntegerField(db_default=0, default=0)),
                ('is_paused_by_person', models.BooleanField(db_default=False, default=False)),
                ('strikes', models.PositiveSmallIntegerField(db_default=0, default=0)),
            ],
            options={
                'ordering': ['alias'],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('holder', models.UUIDField(unique=True)),
                ('calls', models.PositiveIntegerField()),
                ('until', models.DateTimeField()),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='judging.endpoint')),
                ('wanted', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Spend',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=80, unique=True)),
                ('cost', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='CanaryRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started', models.DateTimeField()),
                ('claimed_until', models.DateTimeField(null=True)),
                ('finished', models.DateTimeField(null=True)),
                ('asked', models.PositiveSmallIntegerField(default=0)),
                ('same', models.PositiveSmallIntegerField(default=0)),
                ('unreadable', models.PositiveSmallIntegerField(default=0)),
                ('mean_difference', models.FloatField(null=True)),
                ('reported_model', models.CharField(blank=True, help_text='Several with commas between them', max_length=300)),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='canary_runs', to='judging.judgespec')),
            ],
            options={
                'ordering': ['-started', '-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('finished__isnull', True)), fields=('judge_spec',), name='one_canary_run_under_way')],
            },
        ),
        migrations.CreateModel(
            name='ReferenceProposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('origin', models.CharField(choices=[('dataset', 'Dataset'), ('human', 'Human'), ('generated', 'Generated')], max_length=10)),
                ('maker', models.CharField(blank=True, max_length=200)),
                ('replaces', models.PositiveIntegerField()),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('in review', 'In Review'), ('approved', 'Approved'), ('sent back', 'Sent Back')], default='in review', max_length=10)),
                ('reviewed_at', models.DateTimeField(null=True)),
                ('review_comment', models.TextField(blank=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('description', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmarks.description')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reference_proposals', to='benchmarks.question')),
                ('reference', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposal', to='benchmarks.reference')),
                ('request', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='judging.referencerequest')),
                ('reviewed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created', '-id'],
                'constraints': [models.UniqueConstraint(fields=('request', 'question'), name='one_proposal_per_question_of_a_request'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('author__isnull', True), models.Q(('reviewed_by', models.F('author')), _negated=True), _connector='OR'), name='nobody_approves_their_own_reference'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sent back'), _negated=True), models.Q(('review_comment', ''), _negated=True), _connector='OR'), name='a_reference_goes_back_with_a_comment'), models.CheckConstraint(condition=models.Q(models.Q(('reference__isnull', False), ('state', 'approved')), models.Q(models.Q(('state', 'approved'), _negated=True), ('reference__isnull', True)), _connector='OR'), name='an_approved_reference_is_a_version')],
            },
        ),
        migrations.CreateModel(
            name='JudgedTexts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='question/description/reference; 0 for none', max_length=64, unique=True)),
                ('description', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmarks.description')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judged_texts', to='benchmarks.question')),
                ('reference', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmarks.reference')),
            ],
            options={
                'verbose_name_plural': 'judged texts',
            },
        ),
        migrations.CreateModel(
            name='Judgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.CharField(max_length=40)),
                ('content_key', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('judged', 'Judged'), ('unreadable', 'Unreadable'), ('refused', 'Refused'), ('too long', 'Too Long'), ('failed', 'Failed'), ('paused', 'Paused'), ('excluded', 'Excluded')], default='waiting', max_length=10)),
                ('lease_until', models.DateTimeField(null=True)),
                ('fence', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField(null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it has no verdict yet, or needed no call', max_length=300)),
                ('verdict', models.CharField(blank=True, max_length=40)),
                ('raw_reply', models.TextField(blank=True)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('reported_model', models.CharField(blank=True, max_length=100)),
                ('prompt_tokens', models.PositiveIntegerField(null=True)),
                ('reply_tokens', models.PositiveIntegerField(null=True)),
                ('latency_ms', models.PositiveIntegerField(null=True)),
                ('settled', models.DateTimeField(null=True)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='submissions.answer')),
                ('reused_from', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.judgement')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='judging.judgerun')),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='judging.judgespec')),
                ('holder', models.UUIDField(help_text='The worker that leased it last', null=True)),
                ('texts', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='judging.judgedtexts')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'leased')), fields=['lease_until'], name='judgement_lease_end'), models.Index(fields=['run', 'state'], name='judgement_run_state'), models.Index(condition=models.Q(('state__in', ('unreadable', 'refused', 'too long', 'failed', 'paused', 'excluded'))), fields=['settled'], name='judgement_for_review'), models.Index(fields=['settled'], name='judgement_settled'), models.Index(condition=models.Q(('texts__isnull', False)), fields=['texts'], name='judgement_by_texts'), models.Index(condition=models.Q(('texts__isnull', True)), fields=['run'], name='judgement_texts_unknown'), models.Index(condition=models.Q(('state', 'waiting')), fields=['state', 'run', 'id'], name='judgement_waiting'), models.Index(condition=models.Q(('state', 'paused')), fields=['state', 'run'], name='judgement_parked'), models.Index(fields=['content_key'], name='judgement_content_key'), models.Index(condition=models.Q(('reused_from__isnull', False)), fields=['reused_from'], name='judgement_reused_from')],
                'constraints': [models.UniqueConstraint(fields=('answer', 'judge_spec', 'slot'), name='one_judgement_per_slot'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'judged'), models.Q(('verdict', ''), _negated=True)), models.Q(models.Q(('state', 'judged'), _negated=True), ('verdict', '')), _connector='OR'), name='a_verdict_if_and_only_if_judged'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='a_lease_has_an_end')],
            },
        ),
        migrations.CreateModel(
            name='ReviewNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('retry', 'Retry'), ('exclude', 'Exclude')], max_length=10)),
                ('found', models.CharField(max_length=320)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('judgement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_notes', to='judging.judgement')),
            ],
            options={
                'ordering': ['created', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('action', 'exclude'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='an_exclusion_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='JudgementForReview',
            fields=[
            ],
            options={
                'verbose_name': 'judgement for review',
                'verbose_name_plural': 'judgements for review',
                'permissions': [('review_judgement', 'Can ask again for a verdict, and exclude a judgement')],
                'proxy': True,
                'default_permissions': (),
            },
            bases=('judging.judgement',),
        ),
        migrations.CreateModel(
            name='CanaryCase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('messages', models.JSONField(help_text='What is sent: [role, content] each')),
                ('judge_spec', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='canary_cases', to='judging.judgespec')),
                ('judgement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='canary_cases', to='judging.judgement')),
            ],
            options={
                'ordering': ['judge_spec', 'position'],
                'constraints': [models.UniqueConstraint(fields=('judge_spec', 'position'), name='canary_case_position_once')],
            },
        ),
        migrations.CreateModel(
            name='JudgeCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fence', models.PositiveIntegerField(default=0)),
                ('started', models.DateTimeField()),
                ('closed', models.DateTimeField(null=True)),
                ('outcome', models.CharField(choices=[('open', 'Open'), ('answered', 'Answered'), ('failed', 'Failed'), ('unknown', 'Unknown'), ('unsent', 'Unsent')], default='open', max_length=10)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('request_id', models.CharField(blank=True, max_length=100)),
                ('prompt_tokens', models.PositiveIntegerField(null=True)),
                ('reply_tokens', models.PositiveIntegerField(null=True)),
                ('judgement', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.judgement')),
                ('question', models.ForeignKey(help_text='Whose reference was asked for, or with which the judge was tried', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='benchmarks.question')),
                ('cost', models.BigIntegerField(default=0)),
                ('canary_case', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.canarycase')),
                ('judge_spec', models.ForeignKey(help_text='The judge that was tried', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='trial_calls', to='judging.judgespec')),
                ('reading', models.CharField(blank=True, choices=[('read', 'Read'), ('unreadable', 'Unreadable'), ('refused', 'Refused'), ('cut', 'Cut')], db_default='', help_text='What the reply was; empty where none came, or nobody looked', max_length=10)),
                ('reply', models.TextField(blank=True, db_default='', help_text='Of a reply without a verdict: its text')),
            ],
            options={
                'indexes': [models.Index(fields=['started'], name='call_started')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('canary_case__isnull', True), ('judgement__isnull', False), ('question__isnull', True)), models.Q(('canary_case__isnull', True), ('judgement__isnull', True), ('question__isnull', False)), models.Q(('canary_case__isnull', False), ('judgement__isnull', True), ('question__isnull', True)), _connector='OR'), name='a_call_has_one_purpose')],
            },
        ),
        migrations.CreateModel(
            name='CanaryAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(blank=True, max_length=40)),
                ('raw_reply', models.TextField(blank=True)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='judging.canarycase')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='judging.canaryrun')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'case'), name='one_canary_answer_per_case')],
            },
        ),
        migrations.CreateModel(
            name='EarlierVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_key', models.CharField(max_length=64)),
                ('verdict', models.CharField(max_length=40)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('raw_reply', models.TextField(blank=True)),
                ('finish_reason', models.CharField(blank=True, max_length=40)),
                ('reported_model', models.CharField(blank=True, max_length=100)),
                ('prompt_tokens', models.PositiveIntegerField(null=True)),
                ('reply_tokens', models.PositiveIntegerField(null=True)),
                ('latency_ms', models.PositiveIntegerField(null=True)),
                ('settled', models.DateTimeField(null=True)),
                ('replaced', models.DateTimeField(help_text='When the judgement was asked about anew')),
                ('judgement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='earlier_verdicts', to='judging.judgement')),
                ('reused_from', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.judgement')),
                ('texts', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.judgedtexts')),
            ],
            options={
                'ordering': ['judgement', '-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict', ''), _negated=True), name='an_earlier_verdict_is_one')],
                'indexes': [models.Index(fields=['content_key'], name='earlier_verdict_content_key')],
            },
        ),
        migrations.CreateModel(
            name='StaleJudgement',
            fields=[
            ],
            options={
                'verbose_name': 'judgement by older texts',
                'verbose_name_plural': 'judgements by older texts',
                'permissions': [('rejudge_stale', 'Can have judged again what stands by older texts')],
                'proxy': True,
                'default_permissions': (),
            },
            bases=('judging.judgement',),
        ),
    ]
