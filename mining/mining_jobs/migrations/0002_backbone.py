import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("blobs", "0001_initial"),
        ("mining_jobs", "0001_initial"),
        ("registry", "0001_initial"),
        ("similarity", "0003_encoder"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Backbone",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=60, unique=True)),
                        ("created", models.DateTimeField(auto_now_add=True)),
                        ("onnx", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="blobs.blob")),
                    ],
                    options={"db_table": "similarity_backbone"},
                ),
            ],
        ),
        migrations.AlterField(
            model_name="miningjob",
            name="model_version",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="mining_jobs", to="registry.modelversion"),
        ),
    ]
