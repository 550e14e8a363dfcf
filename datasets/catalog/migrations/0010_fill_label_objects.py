"""Rows for the boxes and polygons of the labels that were there before such rows were."""

from itertools import pairwise

from django.db import migrations

STEP = 2000


def fill(apps, schema_editor):
    Label, LabelObject = apps.get_model("catalog", "Label"), apps.get_model("catalog", "LabelObject")
    LabelObject.objects.all().delete()
    rows, labels = [], Label.objects.filter(sample__dataset__task="detection").order_by("pk")
    for pk, value in labels.values_list("pk", "value").iterator(chunk_size=STEP):
        for kind, name in (("box", "boxes"), ("polygon", "polygons"), ("ignored", "ignore")):
            rows += [made(LabelObject, pk, kind, one) for one in value.get(name, ())]
        if len(rows) >= STEP:
            LabelObject.objects.bulk_create(rows, batch_size=STEP)
            rows = []
    LabelObject.objects.bulk_create(rows, batch_size=STEP)


def made(model, label, kind, one):
    if kind == "polygon":
        xs, ys = zip(*one["points"], strict=True)
        x1, y1, x2, y2 = min(xs), min(ys), max(xs), max(ys)
        ring = [(x - xs[0], y - ys[0]) for x, y in [*one["points"], one["points"][0]]]
        area = abs(sum(a * d - c * b for (a, b), (c, d) in pairwise(ring))) / 2
    else:
        x1, y1, x2, y2 = one["box"]
        area = (x2 - x1) * (y2 - y1)
    return model(
        label_id=label, kind=kind, class_name=one.get("class", ""), width=x2 - x1, height=y2 - y1, area=area,
        attributes=one.get("attributes") or None,
    )  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("catalog", "0009_filters")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
