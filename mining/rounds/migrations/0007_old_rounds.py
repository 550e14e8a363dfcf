from django.db import migrations


def tell_old_rounds(apps, schema_editor):
    """Rounds made before there were triggers were started by hand; what they spent is read from their jobs."""
    Round = apps.get_model("rounds", "Round")
    rows = Round.objects.select_related("first_run", "run", "mining_job")
    for turn in rows.iterator(chunk_size=500):
        turn.trigger = {"what": "hand", "detail": "started by hand", "at": turn.created.isoformat()}
        turn.save(update_fields=["trigger"])
        made = [row.job_id for row in (turn.first_run, turn.mining_job, turn.run) if row is not None]
        turn.jobs.add(*made)


class Migration(migrations.Migration):

    dependencies = [
        ('rounds', '0006_scores'),
    ]

    operations = [
        migrations.RunPython(tell_old_rounds, migrations.RunPython.noop),
    ]
