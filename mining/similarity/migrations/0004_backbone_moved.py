from django.db import migrations


class Migration(migrations.Migration):
    """The backbone belongs to mining_jobs now; its table stays."""

    dependencies = [("mining_jobs", "0002_backbone"), ("similarity", "0003_encoder")]

    operations = [migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="Backbone")])]
