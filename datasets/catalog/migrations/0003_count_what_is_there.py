"""Tallies and mentions of the revisions that were written before there were any."""

from collections import Counter

from django.db import migrations

BUCKET = 4096
STEP = 2000


def count(apps, schema_editor):
    Revision, Tally, Mention = (apps.get_model("catalog", name) for name in ("Revision", "Tally", "Mention"))
    Tally.objects.all().delete()
    cells, mentions = Counter(), []
    rows = Revision.objects.values_list(
        "pk", "dataset_id", "sample_id", "since", "until", "split", "label_id", "label__value"
    )
    for pk, dataset, sample, since, until, split, label, value in rows.order_by("pk").iterator(chunk_size=STEP):
        boxes = {box["class"] for box in (value or {}).get("boxes", [])}
        mentions += [Mention(dataset_id=dataset, revision_id=pk, sample_id=sample, class_name=name) for name in boxes]
        classes = boxes or ({value["class"]} if value and "class" in value else set())
        for version, delta in ((since, 1), (until, -1)):
            if version is not None:
                place = dataset, version, sample // BUCKET, split
                cells[*place, "", label is not None] += delta
                for name in classes:
                    cells[*place, name, True] += delta
    Mention.objects.bulk_create(mentions, batch_size=STEP)
    Tally.objects.bulk_create(
        (
            Tally(dataset_id=d, since=v, bucket=b, split=s, class_name=c, labelled=told, delta=delta)
            for (d, v, b, s, c, told), delta in cells.items()
            if delta
        ),
        batch_size=STEP,
    )


class Migration(migrations.Migration):
    dependencies = [("catalog", "0002_lines")]
    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
