from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0001_initial'),
    ]

    operations = [
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
    ]
