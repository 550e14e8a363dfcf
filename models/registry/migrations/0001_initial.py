
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
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Model',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$', "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit")])),
                ('task', models.CharField(choices=[('classification', 'Classification'), ('detection', 'Detection')], max_length=20)),
                ('classes', models.JSONField()),
                ('description', models.TextField(blank=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ModelVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('architecture', models.CharField(max_length=60)),
                ('digest', models.CharField(db_index=True, max_length=64)),
                ('metrics', models.JSONField(default=dict)),
                ('report', models.JSONField(default=dict)),
                ('lock', models.JSONField(default=dict)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='registry.model')),
            ],
        ),
        migrations.CreateModel(
            name='Promotion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('alias', models.CharField(max_length=60)),
                ('reason', models.CharField(max_length=500)),
                ('gates', models.JSONField(default=list)),
                ('overridden', models.BooleanField(default=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='promotions', to='registry.model')),
                ('previous', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.modelversion')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='promotions', to='registry.modelversion')),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('architecture', models.CharField(max_length=60)),
                ('config', models.JSONField(default=dict)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='catalog.dataset')),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='run', to='jobs.job')),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='registry.model')),
                ('parent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='registry.modelversion')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.version')),
            ],
        ),
        migrations.AddField(
            model_name='modelversion',
            name='run',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='model_version', to='registry.run'),
        ),
        migrations.CreateModel(
            name='Artifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=120)),
                ('blob', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='blobs.blob')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='artifacts', to='registry.modelversion')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('version', 'path'), name='artifact_once')],
            },
        ),
        migrations.CreateModel(
            name='Alias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$', "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit")])),
                ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='registry.model')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='aliases', to='registry.modelversion')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('model', 'name'), name='alias_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='modelversion',
            constraint=models.UniqueConstraint(fields=('model', 'number'), name='model_version_once'),
        ),
    ]
