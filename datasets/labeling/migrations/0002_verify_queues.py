from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='answer',
            name='verification',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='queue',
            name='mode',
            field=models.CharField(choices=[('label', 'Label'), ('verify', 'Verify')], default='label', max_length=6),
        ),
    ]
