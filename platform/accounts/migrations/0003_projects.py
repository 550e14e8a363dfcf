"""Projects: what there is becomes part of the first one, and everybody keeps what they may do."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FIRST = "default"
KEPT = {"reviewer": "engineer", "annotator": "annotator"}
ROLES = ["owner", "engineer", "reviewer", "annotator", "viewer"]


def first_project(apps, schema_editor):  # noqa: ANN001, ANN201 - Django's signature
    """Owners own the platform; reviewers could change everything, which is for engineers now. On an empty database
    there is nothing to keep: `accounts.services.first_project` makes the project when somebody is added."""
    User, Project = apps.get_model("accounts", "User"), apps.get_model("accounts", "Project")
    Membership = apps.get_model("accounts", "Membership")
    if not User.objects.exists():
        return
    first = Project.objects.create(name=FIRST)
    User.objects.filter(role="owner").update(is_owner=True)
    Membership.objects.bulk_create(
        Membership(project=first, user_id=pk, role=KEPT[role])
        for pk, role in User.objects.exclude(role="owner").values_list("pk", "role")
    )


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_token_scope")]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("description", models.TextField(blank=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.CharField(choices=[(role, role.capitalize()) for role in ROLES], max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="accounts.project"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("project", "user"), name="one_role_in_a_project"),
        ),
        migrations.AddField(model_name="user", name="is_owner", field=models.BooleanField(default=False)),
        migrations.RunPython(first_project, migrations.RunPython.noop),
        migrations.RemoveField(model_name="user", name="role"),
    ]
