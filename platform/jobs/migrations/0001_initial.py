
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('title', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=12)),
                ('phase', models.PositiveSmallIntegerField(default=0)),
                ('params', models.JSONField(default=dict)),
                ('result', models.JSONField(null=True)),
                ('error', models.JSONField(null=True)),
                ('unit', models.CharField(default='items', max_length=20)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('started', models.DateTimeField(null=True)),
                ('finished', models.DateTimeField(null=True)),
                ('woken', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='JobEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('point', 'Point'), ('log', 'Log')], max_length=5)),
                ('data', models.JSONField()),
                ('time', models.DateTimeField(auto_now_add=True)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='jobs.job')),
            ],
        ),
        migrations.CreateModel(
            name='Shard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('index', models.PositiveIntegerField()),
                ('phase', models.PositiveSmallIntegerField(default=0)),
                ('params', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('todo', 'Todo'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='todo', max_length=12)),
                ('token', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(null=True)),
                ('not_before', models.DateTimeField(null=True)),
                ('units', models.PositiveBigIntegerField(default=1)),
                ('units_done', models.PositiveBigIntegerField(default=0)),
                ('result', models.JSONField(null=True)),
                ('error', models.TextField(blank=True)),
                ('started', models.DateTimeField(null=True)),
                ('finished', models.DateTimeField(null=True)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shards', to='jobs.job')),
            ],
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['id'], name='job_open'),
        ),
        migrations.AddIndex(
            model_name='jobevent',
            index=models.Index(fields=['job', 'id'], name='job_event_cursor'),
        ),
        migrations.AddIndex(
            model_name='shard',
            index=models.Index(condition=models.Q(('state__in', ['todo', 'running'])), fields=['job', 'phase', 'index'], name='shard_open'),
        ),
        migrations.AddConstraint(
            model_name='shard',
            constraint=models.UniqueConstraint(fields=('job', 'index'), name='shard_once'),
        ),
    ]
