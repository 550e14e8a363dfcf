import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.moved_tables import CreateOrRename


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalog', '0001_initial'),
        ('jobs', '0001_initial'),
        ('registry', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateOrRename(
            before='rounds',
            name='EmbeddingMap',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(choices=[('pca', 'Pca'), ('umap-like', 'Neighbours')], max_length=10)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('facts', models.JSONField(default=dict)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='maps', to='catalog.dataset')),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='embedding_map', to='jobs.job')),
                ('model_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.modelversion')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='catalog.version')),
            ],
        ),
        CreateOrRename(
            before='rounds',
            name='MapPoints',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('count', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=32)),
                ('data', models.BinaryField()),
                ('map', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='points', to='maps.embeddingmap')),
            ],
        ),
    ]
