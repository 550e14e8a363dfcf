"""The release before writes rows without the column: the database fills it in."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0007_what_learned_from_what'),
    ]

    operations = [
        migrations.AlterField(
            model_name='run',
            name='inputs',
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
