import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

import labeling.models


def fill(apps, schema_editor):
    """Kinds by the datasets' task, counters by the tasks, clusters by the suggestions."""
    queue, task = apps.get_model("labeling", "Queue"), apps.get_model("labeling", "Task")
    queue.objects.filter(dataset__task="detection").update(kind="boxes")

    def counted(*conditions):
        rows = task.objects.filter(*conditions, queue=OuterRef("pk")).order_by().values("queue")
        return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)

    queue.objects.update(total=counted(), done=counted(Q(state="done")), skipped=counted(Q(state="skipped")))
    named = task.objects.filter(suggestion__has_key="class", queue__dataset__task="classification")
    named.update(cluster=Coalesce(KeyTextTransform("class", "suggestion"), models.Value("")))


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0001_initial'),
        ('catalog', '0006_erasure'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.CharField(blank=True, max_length=500)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.RemoveIndex(
            model_name='task',
            name='task_open',
        ),
        migrations.AddField(
            model_name='answer',
            name='changed',
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name='queue',
            name='accept_threshold',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='queue',
            name='blind_share',
            field=models.FloatField(default=0.05),
        ),
        migrations.AddField(
            model_name='queue',
            name='done',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='queue',
            name='gold_share',
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name='queue',
            name='kind',
            field=models.CharField(choices=[('classify', 'Classify'), ('grid', 'Grid'), ('boxes', 'Boxes'), ('polygons', 'Polygons')], default='classify', max_length=10),
        ),
        migrations.AddField(
            model_name='queue',
            name='review_share',
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name='queue',
            name='skip_reasons',
            field=models.JSONField(default=labeling.models.skip_reasons),
        ),
        migrations.AddField(
            model_name='queue',
            name='skipped',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='queue',
            name='total',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='task',
            name='blind',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='task',
            name='cluster',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(fields=['queue', 'state', 'position'], name='task_of_state'),
        ),
        migrations.AddIndex(
            model_name='task',
            index=models.Index(condition=models.Q(('lease_until__isnull', False)), fields=['queue', 'lease_until'], name='task_leased'),
        ),
        migrations.AddField(
            model_name='flag',
            name='author',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='flag',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='labeling.task'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.UniqueConstraint(fields=('task', 'author'), name='flag_once'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
