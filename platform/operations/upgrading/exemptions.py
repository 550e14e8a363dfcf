"""Steps of migrations newer than the last release that break the rule on purpose, each with the reason why the release
before still works. The list is emptied when a release is recorded."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exemption:
    """Why a step is safe while the release before runs. `table`: the rows that it goes through; empty for none."""

    reason: str
    table: str = ""


EXEMPTIONS: dict[tuple[str, str, str], Exemption] = {
    ("registry", "0007_what_learned_from_what", "RunPython members_of_ensembles"): Exemption(
        "It adds rows to a table that the release before does not know, and reads the few versions that are ensembles.",
        table="registry_modelversion",
    ),
    ("jobs", "0009_sole_jobs", "AddConstraint job.job_sole"): Exemption(
        "The release before leaves `sole` empty, and rows with an empty one are never refused."
    ),
    ("pipelines", "0003_default_gates", "RunPython raise_defaults"): Exemption(
        "It changes the gates of pipelines, a row each. In the release before, a gate that it can't read fails: it "
        "promotes nothing by the new gates.",
        table="pipelines_pipeline",
    ),
}
"""By app, migration, and the step as `operations.upgrading.rules` names it."""
