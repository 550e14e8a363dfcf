from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("maps", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="embeddingmap",
            name="features",
            field=models.CharField(
                choices=[("backbone", "Backbone"), ("pixels", "Pixels")],
                db_default="pixels",
                default="pixels",
                max_length=8,
            ),
        ),
    ]
