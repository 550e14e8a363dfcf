"""Pipelines store the gates that they were made with: those that have the former defaults get the present ones."""

from django.db import migrations

from tasktypes import names, task_type

CHECKS = [{"check": "parity"}, {"check": "tensorrt_ready"}]
ADDED = [{"check": "classes_trained"}, {"check": "above_baseline"}]


def raise_defaults(apps, schema_editor):
    rows = apps.get_model("pipelines", "Pipeline").objects.select_related("model")
    for pipeline in rows.iterator():
        if pipeline.model.task not in names():
            continue
        bound = {"metric": task_type(pipeline.model.task).metrics.headline, "min_delta": -0.01}
        if pipeline.gates == [*CHECKS, bound]:
            pipeline.gates = [*CHECKS, *ADDED, bound | {"against": "best"}]
            pipeline.save(update_fields=["gates"])


class Migration(migrations.Migration):
    dependencies = [("pipelines", "0002_needs")]

    operations = [migrations.RunPython(raise_defaults, migrations.RunPython.noop)]
