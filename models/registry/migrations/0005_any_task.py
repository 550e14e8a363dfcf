from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0004_precisions'),
    ]

    operations = [
        migrations.AlterField(
            model_name='model',
            name='task',
            field=models.CharField(max_length=20),
        ),
    ]
