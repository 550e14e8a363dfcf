from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def to_tasks(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Datasets whose samples may have several classes say so by their task."""
    rows = apps.get_model('catalog', 'Dataset').objects.using(editor.connection.alias)
    rows.filter(multi_label=True).update(task='multilabel')


def to_flags(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """As it was before; polygons stood in datasets of boxes."""
    rows = apps.get_model('catalog', 'Dataset').objects.using(editor.connection.alias)
    rows.filter(task='multilabel').update(task='classification', multi_label=True)
    rows.filter(task='segmentation').update(task='detection')


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0002_fork_override_and_revision_class'),
    ]

    operations = [
        migrations.AlterField(
            model_name='dataset',
            name='task',
            field=models.CharField(max_length=20),
        ),
        migrations.RunPython(to_tasks, to_flags),
        migrations.RemoveField(
            model_name='dataset',
            name='multi_label',
        ),
    ]
