"""Migrations newer than the last release leave it working; what does not is found by kind."""

import subprocess
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from tests.workers import ROOT

from operations.upgrading import rules
from operations.upgrading.exemptions import EXEMPTIONS, Exemption
from operations.upgrading.release import Release, last_release, own_apps

NEW = "0900_new"


def with_steps(*steps: Any, app: str = "jobs") -> MigrationLoader:
    """The migrations of this code, and one more that takes these steps."""
    loader = MigrationLoader(None)
    (leaf,) = [name for label, name in loader.graph.leaf_nodes(app) if label == app]
    kind = type("Migration", (migrations.Migration,), {"operations": list(steps), "dependencies": [(app, leaf)]})
    made = kind(NEW, app)
    loader.graph.add_node((app, NEW), made)
    loader.graph.add_dependency(made, (app, NEW), (app, leaf))
    return loader


def found(*steps: Any) -> list[str]:
    """What is found of such steps alone."""
    return [one for one in rules.faults(with_steps(*steps), last_release()) if NEW in one]


def nothing(apps: Any, schema_editor: Any) -> None:
    """Change rows."""


TEXT: "models.CharField[str, str]" = models.CharField(max_length=20)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (migrations.AddField("job", "hue", TEXT), "AddField job.hue: give it a db_default"),
        (migrations.AddField("job", "hue", models.CharField(max_length=20, default="red")), "give it a db_default"),
        (migrations.RemoveField("job", "unit"), "RemoveField job.unit: the release before still reads"),
        (migrations.DeleteModel("JobEvent"), "DeleteModel jobevent: the release before still reads"),
        (migrations.RenameField("job", "unit", "units"), "RenameField job.unit: add the new column beside it"),
        (migrations.RenameModel("Job", "Work"), "RenameModel job: add the new table beside it"),
        (migrations.AlterModelTable("job", "works"), "looks for the table under its name"),
        (migrations.AlterField("job", "result", models.JSONField(default=dict)), "it may no longer be null"),
        (migrations.AlterField("job", "title", models.CharField(max_length=20)), "its texts must be shorter"),
        (migrations.AlterField("job", "unit", models.IntegerField()), "its type is another"),
        (migrations.AlterField("job", "kind", models.CharField(max_length=40, unique=True)), "must be unique"),
        (migrations.AddConstraint("job", models.UniqueConstraint(fields=["title"], name="x")), "what it refuses"),
        (migrations.RunPython(nothing), "RunPython nothing: fill rows by a job"),
        (migrations.RunSQL("SELECT 1"), "RunSQL: fill rows by a job"),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("job", "unit")]), "RemoveField"),
    ],
)  # fmt: skip
def test_a_step_that_the_release_before_does_not_survive_is_found(step: Any, words: str) -> None:
    (fault,) = found(step)
    assert fault.startswith(f"jobs.{NEW}: ")
    assert words in fault


@pytest.mark.parametrize(
    "step",
    [
        migrations.AddField("job", "hue", models.CharField(max_length=20, null=True)),
        migrations.AddField("job", "hue", models.CharField(max_length=20, db_default="")),
        migrations.AlterField("job", "title", models.CharField(max_length=900)),
        migrations.AddIndex("job", models.Index(fields=["title"], name="by_title")),
        migrations.AddField("job", "others", models.ManyToManyField("jobs.job")),
    ],
)
def test_a_step_that_it_survives_is_not(step: Any) -> None:
    assert found(step) == []


def test_what_is_done_to_a_model_that_it_does_not_know_is_nothing_to_it() -> None:
    made = migrations.CreateModel("Colour", [("id", models.BigAutoField(primary_key=True)), ("name", TEXT)])
    assert found(made, migrations.RemoveField("colour", "name"), migrations.DeleteModel("Colour")) == []


def test_a_column_that_gets_its_default_by_a_later_migration_has_one() -> None:
    field: models.CharField[str, str] = models.CharField(max_length=20, default="red")
    again: models.CharField[str, str] = models.CharField(max_length=20, default="red", db_default="red")
    assert found(migrations.AddField("job", "hue", field), migrations.AlterField("job", "hue", again)) == []


def test_an_exemption_is_of_one_step_and_one_that_exempts_nothing_is_named() -> None:
    loader = with_steps(migrations.RunPython(nothing))
    exempt = {**EXEMPTIONS, ("jobs", NEW, "RunPython nothing"): Exemption("three rows")}
    assert rules.faults(loader, last_release(), exempt) == []
    stale = {**exempt, ("jobs", NEW, "RemoveField job.unit"): Exemption("nobody reads it")}
    assert rules.faults(loader, last_release(), stale) == [
        f"jobs.{NEW}: RemoveField job.unit: exempt, but there is no such fault"
    ]


def test_the_migrations_of_this_code_keep_the_rule() -> None:
    assert rules.faults(MigrationLoader(None), last_release()) == []


def test_what_broke_0_2_0_is_found_where_its_mending_is_missing() -> None:
    """`make check` would have said so of the two columns without which 0.2.0 could start no training."""
    release = last_release()
    loader = MigrationLoader(None)
    for app, mended in (("core", "0003"), ("registry", "0008")):
        (name,) = [name for label, name in loader.graph.nodes if label == app and name.startswith(mended)]
        migration = loader.graph.nodes[app, name]
        step = migration.operations[0]
        migration.operations = [migrations.AlterField(step.model_name, step.name, models.JSONField(default=list))]
    assert [fault.split(": ")[1] for fault in rules.faults(loader, release)] == [
        "AddField idempotencyrecord.needs", "AddField run.inputs"]  # fmt: skip


def test_the_record_of_the_last_release_is_what_its_commit_has() -> None:
    release = last_release()
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", release.commit], cwd=ROOT, capture_output=True,
                            text=True, check=False)  # fmt: skip
    if listed.returncode:
        pytest.skip(f"{release.version} is not in this clone's history: `git fetch --unshallow`")
    assert newest(listed.stdout.split()) == release.migrations
    show = ["git", "show", f"{release.commit}:pyproject.toml"]
    project = subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f'version = "{release.version}"' in project


def newest(files: list[str]) -> dict[str, str]:
    """The newest migration of each of our apps among files of the tree."""
    made: dict[str, str] = {}
    for parts in (file.split("/") for file in files):
        if parts[-2:-1] == ["migrations"] and parts[-3] in own_apps() and parts[-1] != "__init__.py":
            made[parts[-3]] = max(made.get(parts[-3], ""), parts[-1].removesuffix(".py"))
    return made


def test_a_release_that_knows_all_has_no_newer_migrations() -> None:
    loader = MigrationLoader(None)
    leaves = {app: name for app, name in loader.graph.leaf_nodes() if app in own_apps()}
    assert rules.faults(loader, Release("now", "", leaves), {}) == []
