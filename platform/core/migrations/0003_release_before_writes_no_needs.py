"""The release before writes rows without the column: the database fills it in."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0002_answers_remember_rights'),
    ]

    operations = [
        migrations.AlterField(
            model_name='idempotencyrecord',
            name='needs',
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
