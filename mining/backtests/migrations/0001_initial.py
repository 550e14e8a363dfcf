import django.core.validators
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
        ('registry', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateOrRename(
            before='rounds',
            name='Backtest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('archived', models.DateTimeField(null=True)),
                ('deleted', models.DateTimeField(null=True)),
                ('name', models.CharField(max_length=130, null=True, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$', "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit")])),
                ('learner', models.JSONField()),
                ('strategies', models.JSONField()),
                ('seeds', models.PositiveIntegerField()),
                ('rounds', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('start', models.PositiveIntegerField()),
                ('control', models.FloatField()),
                ('target', models.FloatField(null=True)),
                ('report', models.JSONField(null=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('archived_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('data', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blobs.blob')),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backtests', to='catalog.dataset')),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='backtest', to='jobs.job')),
                ('model_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='backtests', to='registry.modelversion')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
            ],
            options={
                'abstract': False,
            },
        ),
        CreateOrRename(
            before='rounds',
            name='Replay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('blob', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blobs.blob')),
            ],
        ),
    ]
