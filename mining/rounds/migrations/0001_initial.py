
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('blobs', '0001_initial'),
        ('catalog', '0001_initial'),
        ('jobs', '0001_initial'),
        ('labeling', '0001_initial'),
        ('registry', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MiningJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('strategy', models.CharField(max_length=60)),
                ('params', models.JSONField(default=dict)),
                ('count', models.PositiveIntegerField()),
                ('control', models.FloatField(default=0.1)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('stats', models.JSONField(default=dict)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mining_jobs', to='catalog.dataset')),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='mining', to='jobs.job')),
                ('model_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mining_jobs', to='registry.modelversion')),
                ('queue', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mining_job', to='labeling.queue')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
            ],
        ),
        migrations.CreateModel(
            name='Pipeline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$', "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit")])),
                ('architecture', models.CharField(max_length=60)),
                ('config', models.JSONField(default=dict)),
                ('strategy', models.CharField(max_length=60)),
                ('params', models.JSONField(default=dict)),
                ('count', models.PositiveIntegerField()),
                ('control', models.FloatField(default=0.1)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('gates', models.JSONField(default=list)),
                ('paused', models.BooleanField(default=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pipelines', to='catalog.dataset')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pipelines', to='registry.model')),
            ],
        ),
        migrations.CreateModel(
            name='Pick',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField()),
                ('score', models.FloatField(null=True)),
                ('terms', models.JSONField(default=dict)),
                ('reason', models.CharField(max_length=300)),
                ('control', models.BooleanField(default=False)),
                ('probability', models.FloatField(null=True)),
                ('prediction', models.JSONField(null=True)),
                ('neighbours', models.JSONField(default=list)),
                ('mining_job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picks', to='rounds.miningjob')),
                ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picks', to='catalog.sample')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('mining_job', 'rank'), name='pick_rank_once'), models.UniqueConstraint(fields=('mining_job', 'sample'), name='pick_sample_once')],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('training', 'Training'), ('scoring', 'Scoring'), ('queueing', 'Queueing'), ('labelling', 'Labelling'), ('committing', 'Committing'), ('retraining', 'Retraining'), ('gating', 'Gating'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='training', max_length=12)),
                ('failed_in', models.CharField(blank=True, max_length=12)),
                ('step_started', models.DateTimeField(auto_now_add=True)),
                ('promotion', models.JSONField(null=True)),
                ('timings', models.JSONField(default=dict)),
                ('error', models.CharField(blank=True, max_length=1000)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('finished', models.DateTimeField(null=True)),
                ('dataset_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
                ('first_run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.run')),
                ('mining_job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='round', to='rounds.miningjob')),
                ('pipeline', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='rounds.pipeline')),
                ('queue', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='round', to='labeling.queue')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('pipeline', 'number'), name='round_number_once'), models.UniqueConstraint(condition=models.Q(('state__in', ['done', 'failed', 'cancelled']), _negated=True), fields=('pipeline',), name='one_open_round')],
            },
        ),
        migrations.CreateModel(
            name='ScoreFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model_digest', models.CharField(max_length=64)),
                ('scorer', models.CharField(max_length=20)),
                ('rows', models.PositiveIntegerField()),
                ('shard', models.PositiveIntegerField()),
                ('blob', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blobs.blob')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='score_files', to='jobs.job')),
            ],
            options={
                'indexes': [models.Index(fields=['model_digest', 'scorer'], name='score_file_key')],
                'constraints': [models.UniqueConstraint(fields=('job', 'shard'), name='score_file_once')],
            },
        ),
    ]
