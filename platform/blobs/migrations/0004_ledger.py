import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import F, Max

PAGE = 5000


def enter_what_is_there(apps, schema_editor):
    """Objects that blobs lie in already, and their plain copies: the ledger begins with them."""
    Blob = apps.get_model("blobs", "Blob")
    StoredObject = apps.get_model("blobs", "StoredObject")
    plain = apps.get_model("blobs", "PlainObject").objects.values_list("blob__md5", "blob__size")
    StoredObject.objects.bulk_create(
        (StoredObject(key=f"files/md5/{md5[:2]}/{md5[2:]}", size=size) for md5, size in plain.iterator(PAGE)),
        ignore_conflicts=True,
        batch_size=500,
    )
    last = ""
    while True:
        found = Blob.objects.filter(key__gt=last).order_by("key").values("key").annotate(size=Max(F("offset") + F("size")))
        page = list(found[:PAGE])
        if not page:
            return
        StoredObject.objects.bulk_create((StoredObject(**row) for row in page), ignore_conflicts=True, batch_size=500)
        last = page[-1]["key"]


class Migration(migrations.Migration):

    dependencies = [
        ('blobs', '0003_likeness'),
    ]

    operations = [
        migrations.AddField(
            model_name='blob',
            name='seen',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddIndex(
            model_name='blob',
            index=models.Index(fields=['key'], name='blob_object'),
        ),
        migrations.CreateModel(
            name='StoredObject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120, unique=True)),
                ('size', models.PositiveBigIntegerField()),
                ('state', models.CharField(choices=[('present', 'Present'), ('closed', 'Closed'), ('gone', 'Gone')], default='present', max_length=7)),
                ('written', models.DateTimeField(default=django.utils.timezone.now)),
                ('closed', models.DateTimeField(null=True)),
                ('moved', models.BooleanField(default=False)),
                ('blanks', models.JSONField(default=list)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'closed')), fields=['id'], name='object_closed')],
            },
        ),
        migrations.CreateModel(
            name='Remnant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('md5', models.CharField(db_index=True, max_length=32)),
                ('offset', models.PositiveBigIntegerField()),
                ('size', models.PositiveBigIntegerField()),
                ('object', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='remnants', to='blobs.storedobject')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('object', 'offset', 'md5'), name='remnant_once')],
            },
        ),
        migrations.RunPython(enter_what_is_there, migrations.RunPython.noop),
    ]
