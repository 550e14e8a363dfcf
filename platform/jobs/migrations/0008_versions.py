"""Workers and web processes say which version they are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0007_storage_and_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='WebBeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True)),
                ('version', models.CharField(max_length=40)),
                ('seen', models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name='beat',
            name='version',
            field=models.CharField(blank=True, db_default='', default='', max_length=40),
        ),
    ]
