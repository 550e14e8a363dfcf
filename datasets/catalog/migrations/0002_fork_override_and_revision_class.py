from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0001_initial'),
    ]

    operations = [
        migrations.RenameModel('Shadow', 'ForkOverride'),
        migrations.RenameModel('Mention', 'RevisionClass'),
    ]
