from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0010_fill_label_objects")]

    operations = [
        migrations.AddField(
            model_name="nearduplicate",
            name="confirmed",
            field=models.BooleanField(default=False),
        ),
    ]
