
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalog', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Queue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('state', models.CharField(choices=[('open', 'Open'), ('complete', 'Complete'), ('committed', 'Committed')], default='open', max_length=10)),
                ('answers_per_task', models.PositiveSmallIntegerField(default=1)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('committed_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='queues', to='catalog.dataset')),
            ],
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('todo', 'Todo'), ('leased', 'Leased'), ('done', 'Done'), ('skipped', 'Skipped')], default='todo', max_length=8)),
                ('token', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('suggestion', models.JSONField(null=True)),
                ('why', models.JSONField(null=True)),
                ('holder', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('queue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='labeling.queue')),
                ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='catalog.sample')),
            ],
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.JSONField(null=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('seconds', models.FloatField(default=0.0)),
                ('shown_suggestion', models.BooleanField(default=False)),
                ('opinion', models.BooleanField(default=False)),
                ('withdrawn', models.BooleanField(default=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='labeling.task')),
            ],
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('state__in', ['todo', 'leased'])), fields=['queue', 'position'], name='task_open'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(fields=('queue', 'position'), name='task_position_once'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(fields=('queue', 'sample'), name='task_sample_once'),
        ),
        migrations.AddIndex(
            model_name='answer',
            index=models.Index(fields=['task', 'id'], name='answer_of_task'),
        ),
        migrations.AddIndex(
            model_name='answer',
            index=models.Index(fields=['author', 'created'], name='answer_of_author'),
        ),
    ]
