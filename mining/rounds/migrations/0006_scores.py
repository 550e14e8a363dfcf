from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0001_initial'),
        ('rounds', '0005_backtests'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='scorefile',
            name='score_file_once',
        ),
        migrations.AlterField(
            model_name='scorefile',
            name='scorer',
            field=models.CharField(max_length=60),
        ),
        migrations.AddConstraint(
            model_name='scorefile',
            constraint=models.UniqueConstraint(fields=('job', 'shard', 'model_digest', 'scorer'), name='score_file_once'),
        ),
    ]
