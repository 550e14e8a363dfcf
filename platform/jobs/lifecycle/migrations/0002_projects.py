"""Every event is in a project: what there is, in the first one."""

import django.db.models.deletion
from django.db import migrations, models


def into_the_first(apps, schema_editor):  # noqa: ANN001, ANN201 - Django's signature
    first = apps.get_model("accounts", "Project").objects.order_by("pk").first()
    apps.get_model("lifecycle", "LifecycleEvent").objects.update(project=first)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_projects"), ("lifecycle", "0001_lifecycle")]

    operations = [
        migrations.AddField(
            model_name="lifecycleevent",
            name="project",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.project"
            ),
        ),
        migrations.RunPython(into_the_first, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="lifecycleevent",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.project"
            ),
        ),
    ]
