from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('blobs', '0002_plain_object'),
    ]

    operations = [
        migrations.AddField(
            model_name='blob',
            name='phash',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='blob',
            name='sketch',
            field=models.BinaryField(max_length=256, null=True),
        ),
    ]
