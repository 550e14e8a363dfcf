import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.moved_tables import CreateOrRename


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
        CreateOrRename(
            before='rounds',
            name='ScoreFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model_digest', models.CharField(max_length=64)),
                ('scorer', models.CharField(max_length=60)),
                ('rows', models.PositiveIntegerField()),
                ('shard', models.PositiveIntegerField()),
                ('blob', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blobs.blob')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='score_files', to='jobs.job')),
            ],
            options={
                'indexes': [models.Index(fields=['model_digest', 'scorer'], name='score_file_key')],
                'constraints': [models.UniqueConstraint(fields=('job', 'shard', 'model_digest', 'scorer'), name='score_file_once')],
            },
        ),
        CreateOrRename(
            before='rounds',
            name='MiningJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('strategy', models.CharField(max_length=60)),
                ('params', models.JSONField(default=dict)),
                ('count', models.PositiveIntegerField()),
                ('control', models.FloatField(default=0.1)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('filter', models.JSONField(null=True)),
                ('compose', models.JSONField(null=True)),
                ('slices', models.JSONField(default=dict)),
                ('committee', models.JSONField(null=True)),
                ('like', models.JSONField(null=True)),
                ('unlike', models.JSONField(null=True)),
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
        CreateOrRename(
            before='rounds',
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
                ('explanation', models.JSONField(default=dict)),
                ('mining_job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picks', to='mining_jobs.miningjob')),
                ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picks', to='catalog.sample')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('mining_job', 'rank'), name='pick_rank_once'), models.UniqueConstraint(fields=('mining_job', 'sample'), name='pick_sample_once')],
            },
        ),
    ]
