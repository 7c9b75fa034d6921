import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0004_engine'),
        ('submissions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            },
        ),
        migrations.AddConstraint(
            model_name='reviewnote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('action', 'exclude'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='an_exclusion_has_a_reason'),
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
                'indexes': [],
                'constraints': [],
            },
            bases=('judging.judgement',),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='state',
            field=models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('judged', 'Judged'), ('unreadable', 'Unreadable'), ('refused', 'Refused'), ('too long', 'Too Long'), ('failed', 'Failed'), ('paused', 'Paused'), ('excluded', 'Excluded')], default='waiting', max_length=10),
        ),
        migrations.AddIndex(
            model_name='judgement',
            index=models.Index(condition=models.Q(('state__in', ('unreadable', 'refused', 'too long', 'failed', 'paused', 'excluded'))), fields=['settled'], name='judgement_for_review'),
        ),
    ]
