"""Ensembles know their members as rows, and runs what they have read."""

from django.db import migrations, models


def members_of_ensembles(apps, schema_editor):  # noqa: ANN001, ANN201 - Django's signature
    version = apps.get_model("registry", "ModelVersion")
    for made in version.objects.filter(architecture="ensemble", run=None).only("pk", "model_id", "lock").iterator():
        numbers = [member["version"] for member in made.lock.get("members", [])]
        made.made_from.set(version.objects.filter(model=made.model_id, number__in=numbers))


class Migration(migrations.Migration):
    dependencies = [("registry", "0006_projects")]

    operations = [
        migrations.AddField(
            model_name="modelversion",
            name="made_from",
            field=models.ManyToManyField(related_name="made_into", to="registry.modelversion"),
        ),
        migrations.AddField(model_name="run", name="inputs", field=models.JSONField(default=list)),
        migrations.AddField(model_name="run", name="inputs_changed", field=models.JSONField(null=True)),
        migrations.RunPython(members_of_ensembles, migrations.RunPython.noop),
    ]
