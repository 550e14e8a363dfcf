import django.core.validators
import django.db.models.deletion
import pipelines.models
from django.conf import settings
from django.db import migrations, models

from core.moved_tables import CreateOrRename


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalog', '0001_initial'),
        ('jobs', '0001_initial'),
        ('labeling', '0001_initial'),
        ('mining_jobs', '0001_initial'),
        ('registry', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateOrRename(
            before='rounds',
            name='Pipeline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('archived', models.DateTimeField(null=True)),
                ('deleted', models.DateTimeField(null=True)),
                ('name', models.CharField(max_length=130, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$', "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit")])),
                ('architecture', models.CharField(max_length=60)),
                ('config', models.JSONField(default=dict)),
                ('strategy', models.CharField(max_length=60)),
                ('params', models.JSONField(default=dict)),
                ('count', models.PositiveIntegerField()),
                ('control', models.FloatField(default=0.1)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('filter', models.JSONField(null=True)),
                ('compose', models.JSONField(null=True)),
                ('committee', models.JSONField(null=True)),
                ('answers_per_task', models.PositiveSmallIntegerField(default=1)),
                ('commit_grace', models.PositiveIntegerField(default=pipelines.models.usual_grace)),
                ('warm_start', models.BooleanField(default=False)),
                ('gates', models.JSONField(default=list)),
                ('paused', models.BooleanField(default=False)),
                ('schedule', models.CharField(blank=True, max_length=100)),
                ('next_run', models.DateTimeField(null=True)),
                ('trigger', models.JSONField(default=dict)),
                ('examined', models.PositiveBigIntegerField(null=True)),
                ('last_trigger', models.JSONField(null=True)),
                ('webhook_digest', models.CharField(blank=True, max_length=64)),
                ('webhook_window', models.DateTimeField(null=True)),
                ('webhook_calls', models.PositiveIntegerField(default=0)),
                ('budget', models.JSONField(default=dict)),
                ('stop', models.JSONField(default=dict)),
                ('stopped', models.JSONField(null=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('archived_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pipelines', to='catalog.dataset')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pipelines', to='registry.model')),
            ],
            options={
                'abstract': False,
            },
        ),
        CreateOrRename(
            before='rounds',
            name='DatasetBudget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('limits', models.JSONField(default=dict)),
                ('dataset', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='budget', to='catalog.dataset')),
            ],
        ),
        CreateOrRename(
            before='rounds',
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('training', 'Training'), ('scoring', 'Scoring'), ('queueing', 'Queueing'), ('labelling', 'Labelling'), ('committing', 'Committing'), ('retraining', 'Retraining'), ('gating', 'Gating'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled'), ('stopped', 'Stopped')], default='training', max_length=12)),
                ('failed_in', models.CharField(blank=True, max_length=12)),
                ('step_started', models.DateTimeField(auto_now_add=True)),
                ('trigger', models.JSONField(default=dict)),
                ('choice', models.JSONField(null=True)),
                ('promotion', models.JSONField(null=True)),
                ('waiting', models.JSONField(null=True)),
                ('stopped', models.JSONField(null=True)),
                ('timings', models.JSONField(default=dict)),
                ('error', models.CharField(blank=True, max_length=1000)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('finished', models.DateTimeField(null=True)),
                ('dataset_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
                ('first_run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.run')),
                ('jobs', models.ManyToManyField(related_name='rounds', to='jobs.job')),
                ('mining_job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='round', to='mining_jobs.miningjob')),
                ('pipeline', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='pipelines.pipeline')),
                ('queue', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='round', to='labeling.queue')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('pipeline', 'number'), name='round_number_once'), models.UniqueConstraint(condition=models.Q(('state__in', ['done', 'failed', 'cancelled', 'stopped']), _negated=True), fields=('pipeline',), name='one_open_round')],
            },
        ),
    ]
