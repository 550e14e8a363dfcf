"""`meta.attributes` and `meta.ignore` of detection samples become part of their labels, where they fit.

A label may be that of several revisions whose metadata differ: the first keeps the label, the others get one of their
own. What fits no box, or is no region, stays in the metadata as it is.
"""

from importlib import import_module

from django.db import migrations
from django.db.models import Q

from formats.attributes import attributes_fault

STEP = 500
KINDS = (("box", "boxes"), ("polygon", "polygons"), ("ignored", "ignore"))


def move(apps, schema_editor):
    Revision, Label, LabelObject = (apps.get_model("catalog", name) for name in ("Revision", "Label", "LabelObject"))
    found = Revision.objects.filter(Q(meta__has_key="attributes") | Q(meta__has_key="ignore"), label__isnull=False)
    found = found.filter(dataset__task="detection").order_by("pk")
    settled, last = {}, 0
    while rows := list(found.filter(pk__gt=last).select_related("label", "blob")[:STEP]):
        last = rows[-1].pk
        for row in rows:
            value, meta = moved(row)
            label = row.label_id
            if value != row.label.value:
                label = place(Label, LabelObject, row, value, settled, Revision)
            Revision.objects.filter(pk=row.pk).update(label=label, meta=meta)


def moved(row):
    """The label and the metadata as they are to be."""
    value, meta = dict(row.label.value), dict(row.meta)
    if "boxes" not in value or "attributes" in meta and any("attributes" in box for box in value["boxes"]):
        return row.label.value, row.meta
    attributes, ignore = meta.get("attributes"), meta.get("ignore")
    if fit_boxes(attributes, value["boxes"]):
        pairs = zip(value["boxes"], meta.pop("attributes"), strict=True)
        value["boxes"] = [box | ({"attributes": kept} if (kept := without_nulls(one)) else {}) for box, one in pairs]
    if "ignore" not in value and are_regions(ignore, row.blob.width, row.blob.height):
        regions = [{"class": one["class"], "box": one["box"]} for one in meta.pop("ignore")]
        value |= {"ignore": regions} if regions else {}
    return value, meta


def place(Label, LabelObject, row, value, settled, Revision):
    """The id of the label that says `value`: the row's own, changed, or a copy where others say otherwise by it."""
    told = settled.setdefault(row.label_id, {})
    for pk, other in told.items():
        if other == value:
            return pk
    label = row.label
    shared = Revision.objects.filter(label=row.label_id).exclude(pk=row.pk).exists()
    if shared:
        label.pk = None
    label.value = value
    created = label.created
    label.save(force_insert=label.pk is None)
    Label.objects.filter(pk=label.pk).update(created=created)
    told[label.pk] = value
    made = import_module("catalog.migrations.0010_fill_label_objects").made
    LabelObject.objects.filter(label=label.pk).delete()
    LabelObject.objects.bulk_create(
        made(LabelObject, label.pk, kind, one) for kind, name in KINDS for one in value.get(name, ())
    )
    return label.pk


def fit_boxes(attributes, boxes):
    if not isinstance(attributes, list) or len(attributes) != len(boxes):
        return False
    return all(isinstance(one, dict) and attributes_fault(without_nulls(one)) is None for one in attributes)


def without_nulls(attributes):
    return {name: value for name, value in attributes.items() if value is not None}


def are_regions(regions, width, height):
    if not isinstance(regions, list):
        return False
    for one in regions:
        if not isinstance(one, dict) or one.keys() != {"class", "box"} or not isinstance(one["class"], str):
            return False
        box = one["box"]
        if not 0 < len(one["class"]) <= 200 or not isinstance(box, list) or len(box) != 4:
            return False
        if any(type(corner) not in {int, float} for corner in box):
            return False
        x1, y1, x2, y2 = box
        if not (0 <= x1 < x2 <= (width or x2) and 0 <= y1 < y2 <= (height or y2)):
            return False
    return True


class Migration(migrations.Migration):
    dependencies = [("catalog", "0012_lifecycle")]
    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
