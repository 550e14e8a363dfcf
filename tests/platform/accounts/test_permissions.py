"""Every operation of the API, and every address of git and DVC, as everybody may call it: a new one needs a
line here. Those of MLflow's protocol have theirs in tests/models/mlflow_api/test_protocol.py."""

import base64
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from accounts.models import User
from accounts.services import create_user, first_project
from publishing.models import Repository

ROLES = ("viewer", "annotator", "reviewer", "engineer", "owner", "platform")
"""What somebody is in the project; `platform` owns the platform."""
ANYBODY = {"session_create"}
OPEN = {"session_options"}
"""What the sign-in page shows to strangers."""
WITH_A_SECRET = {"hooks_pipeline"}
SEE = {
    "blobs_get", "labeling_people", "labeling_people_me", "notifications_change", "notifications_get", "people_get",
    "preferences_get", "preferences_put",
    "projects_get", "projects_list", "projects_members",
    "queues_export", "queues_get", "queues_list",
    "queues_tasks", "schemas_at", "schemas_get", "session_delete", "session_get", "thumbs_get", "tokens_issue",
    "tokens_list", "tokens_revoke",
}  # fmt: skip
LABEL = {
    "comments_change", "comments_delete", "comments_list",
    "queues_answers", "queues_hold", "queues_next", "queues_release", "tasks_answer",
    "tasks_comment", "tasks_comments", "tasks_flag", "tasks_renew", "tasks_skip", "tasks_undo", "tasks_unflag",
}  # fmt: skip
READ = {
    "architectures_list", "archives_get", "artifacts_get", "backtests_deletion_retrieve", "backtests_get",
    "backtests_list", "blobs_get_many", "dataset_aliases_list", "datasets_budget_get", "datasets_deletion_retrieve",
    "datasets_diff", "datasets_differences", "datasets_get", "datasets_list", "datasets_recommended_architecture",
    "embeddings_get", "encoders_get", "encoders_list",
    "copies_list", "model_versions_lineage",
    "erasures_list", "exports_archive", "exports_create", "exports_list", "filters_check",
    "filters_vocabulary",
    "forecast_get", "formats_list", "jobs_get", "jobs_list", "jobs_shards", "labeling_queues_deletion_retrieve",
    "lake_bytes_get", "lake_frame_get", "lake_frames_list", "lake_get", "lake_parts_get", "lake_parts_list",
    "lake_scans_get", "lake_scans_list", "lake_thumbs_get",
    "layers_list", "layers_weights", "lifecycle_events", "maps_get", "maps_list", "maps_points", "mining_histogram",
    "mining_jobs_get", "mining_jobs_list", "mining_picks_get", "mining_picks_list", "mining_quarantine_list",
    "model_versions_get", "model_versions_list", "models_calibration", "models_compare", "models_deletion_retrieve",
    "models_get",
    "models_list", "models_outcome_samples", "models_outcomes", "near_duplicates_list", "pipelines_against_random",
    "pipelines_curve", "pipelines_deletion_retrieve", "pipelines_get", "pipelines_list", "plans_examples", "plans_make",
    "predict", "projects_quota", "promotions_list",
    "predictions_list", "rounds_get", "rounds_list", "runs_compare", "runs_forecast", "runs_get", "runs_launch",
    "runs_list", "runs_metrics",
    "runs_table", "samples_facets",
    "samples_get", "samples_keys", "samples_lineage", "samples_list", "similar_list", "similar_to_image", "slices_get",
    "slices_list", "snapshots_get", "snapshots_list", "strategies_list", "sweeps_deletion_retrieve", "sweeps_get",
    "sweeps_list", "sweeps_trials", "tags_list", "versions_get", "versions_list",
    "versions_manifest", "versions_statistics", "workers_get",
}  # fmt: skip
REVIEW = {
    "datasets_revert", "labeling_waiting", "mining_jobs_queue", "near_duplicates_decide", "people_list",
    "copies_take_over", "queues_add_samples", "queues_agreement", "queues_change", "queues_commit", "queues_create",
    "queues_gold", "queues_requeue", "queues_statistics", "reviews_decide", "reviews_get", "reviews_list",
    "reviews_reopen", "sample_tags_change", "slices_create", "slices_remove", "slices_replace",
}  # fmt: skip
BUILD = {
    "aliases_move", "aliases_roll_back", "archives_begin", "archives_discard", "archives_part",
    "backtests_archive_create", "backtests_change", "backtests_create", "backtests_restore_create",
    "dataset_aliases_set", "datasets_archive_create", "datasets_budget_set", "datasets_change", "datasets_commit",
    "datasets_create", "datasets_fork", "datasets_merge", "datasets_restore_create",
    "datasets_versions_materialise_create", "edits_commit", "edits_preview", "embeddings_create", "encoders_create",
    "encoders_destroy", "jobs_cancel",
    "jobs_change", "jobs_retry",
    "labeling_queues_archive_create",
    "labeling_queues_restore_create", "lake_parts_add", "lake_parts_remove", "lake_scans_create",
    "leak_checks_create", "maps_create", "mining_jobs_create",
    "model_ensembles_create",
    "model_versions_change", "model_versions_upload", "models_archive_create", "models_change", "models_create",
    "datasets_have", "datasets_upload",
    "models_restore_create", "models_versions_materialise_create", "near_duplicates_check", "pipelines_archive_create",
    "pipelines_change", "pipelines_create", "pipelines_pause", "pipelines_restore_create", "pipelines_resume",
    "pipelines_retry", "pipelines_webhook", "rounds_cancel", "rounds_start", "runs_cancel", "runs_change",
    "runs_clone", "runs_create", "runs_register", "runs_resume", "schemas_change", "sweeps_archive_create",
    "sweeps_cancel", "sweeps_change", "sweeps_create", "sweeps_register", "sweeps_restore_create", "tags_create",
}  # fmt: skip
OWN = {
    "audit_export", "audit_list",
    "backtests_deletion_create", "backtests_destroy", "dataset_aliases_delete", "datasets_accesses_retrieve",
    "datasets_deletion_create", "datasets_destroy", "datasets_read_key_create", "erasures_start",
    "labeling_queues_deletion_create", "labeling_queues_destroy", "models_accesses_retrieve",
    "models_deletion_create", "models_destroy", "models_read_key_create", "pipelines_deletion_create",
    "pipelines_destroy", "projects_change", "projects_remove_member", "projects_set_member", "sweeps_deletion_create",
    "sweeps_destroy", "tags_delete",
    "backtests_release_name_create", "datasets_release_name_create", "labeling_queues_release_name_create",
    "models_release_name_create",
    "pipelines_release_name_create", "sweeps_release_name_create",
}  # fmt: skip
ADMINISTER = {
    "datasets_import", "gc_start", "metrics_get", "people_add", "people_change",
    "projects_create", "projects_delete", "projects_set_quota", "sources_list",
}  # fmt: skip
RULES: dict[str, tuple[set[str], set[str], str]] = {
    "see": (SEE, {*ROLES}, ""),
    "label": (LABEL, {*ROLES} - {"viewer"}, "annotators_only"),
    "read": (READ, {*ROLES} - {"annotator"}, "readers_only"),
    "review": (REVIEW, {"reviewer", "engineer", "owner", "platform"}, "reviewers_only"),
    "build": (BUILD, {"engineer", "owner", "platform"}, "engineers_only"),
    "own": (OWN, {"owner", "platform"}, "owners_only"),
    "administer": (ADMINISTER, {"platform"}, "owners_only"),
}
"""By right: the operations, who may call them, and the code that the others are told."""

pytestmark = pytest.mark.django_db


@cache
def operations() -> Mapping[str, tuple[str, str]]:
    """(method, address) by operation id; the things of the addresses don't exist, but for the caller (`me`)."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    found: dict[str, tuple[str, str]] = {}
    for path, methods in schema["paths"].items():
        address = path
        for parameter in next(iter(methods.values())).get("parameters", ()):
            if parameter["in"] == "path":
                words = "me" if path.startswith("/people/") else "x"
                example = "1" if parameter["schema"]["type"] == "integer" else words
                address = address.replace(f"{{{parameter['name']}}}", example)
        found |= {each["operationId"]: (method.upper(), address) for method, each in methods.items()}
    return found


@pytest.fixture
def clients(api_of: Callable[[User], APIClient]) -> Mapping[str, APIClient]:
    def somebody(role: str) -> User:
        if role == "platform":
            return create_user(role, role="owner")[0]
        return create_user(role, role=role, project=first_project())[0]

    return {role: api_of(somebody(role)) for role in ROLES}


def call(client: Client, operation: str) -> Any:
    method, address = operations()[operation]
    return client.generic(method, address, b"{}", content_type="application/json")


def test_the_table_names_every_operation_once() -> None:
    table = [*ANYBODY, *OPEN, *WITH_A_SECRET, *(name for names, _, _ in RULES.values() for name in names)]
    assert set(table) ^ set(operations()) == set()
    assert len(set(table)) == len(table)


@pytest.mark.parametrize("right", RULES)
def test_nobody_calls_more_than_the_table_allows_and_everybody_all_of_that(
    client: Client, clients: Mapping[str, APIClient], right: str
) -> None:
    """403 whether or not a thing is there and the body is right: who may not ask learns nothing of either."""
    names, allowed, code = RULES[right]
    wrong = []
    for operation in sorted(names):
        answers: dict[str, Any] = {role: call(clients[role], operation) for role in ROLES}
        refused = {role for role in ROLES if answers[role].status_code == 403}
        codes = {answers[role].json()["code"] for role in refused}
        stranger = call(client, operation).status_code
        if refused != {*ROLES} - allowed or codes - {code} or stranger != 401:
            wrong.append((operation, stranger, {role: answers[role].status_code for role in ROLES}, codes))
    assert wrong == []


@pytest.mark.parametrize("operation", sorted(OPEN))
def test_strangers_are_told_what_the_sign_in_page_shows(client: Client, operation: str) -> None:
    assert call(client, operation).status_code == 200


@pytest.mark.parametrize("operation", sorted(ANYBODY | WITH_A_SECRET))
def test_what_needs_no_account_needs_its_own_secret(client: Client, operation: str) -> None:
    method, address = operations()[operation]
    body = b'{"token": "ml_wrong"}'
    assert client.generic(method, address, body, content_type="application/json").status_code == 401


def published(kind: str) -> Iterator[tuple[str, str]]:
    """The calls of git and DVC, which the schema does not list."""
    git, remote = f"/{kind}/signs.git", f"/dvc/{kind}/signs/files/md5"
    yield "GET", f"{git}/info/refs?service=git-upload-pack"
    yield "POST", f"{git}/git-upload-pack"
    yield "GET", remote
    yield "GET", f"{remote}/ab/{'c' * 30}"
    yield "GET", f"{remote}/ab/{'c' * 30}.dir"
    yield "PUT", f"{remote}/ab/{'c' * 30}.dir"


@pytest.mark.parametrize(("method", "address"), [*published("datasets"), *published("models")])
def test_annotators_read_nothing_that_is_published(
    client: Client, clients: Mapping[str, APIClient], method: str, address: str
) -> None:
    for kind in ("datasets", "models"):
        Repository.objects.create(kind=kind, name="signs")
    answers = {role: one.generic(method, address).status_code for role, one in clients.items()}
    assert (client.generic(method, address).status_code, answers["annotator"]) == (401, 403)
    readers = {"engineer", "platform"} if method == "PUT" else {*ROLES} - {"annotator"}
    assert not {answers[role] for role in readers} & {401, 403}


@pytest.mark.parametrize("way", ["Basic", "Bearer", "X-Motherlode-Token"])
def test_no_way_to_send_a_token_opens_more(client: Client, way: str) -> None:
    Repository.objects.create(kind="datasets", name="signs")
    _, secret = create_user("ann", role="annotator")
    told = f"Basic {base64.b64encode(f'ann:{secret}'.encode()).decode()}" if way == "Basic" else f"Bearer {secret}"
    headers = {"X-Motherlode-Token": secret} if way.startswith("X-") else {"Authorization": told}
    assert client.get("/datasets/signs.git/info/refs?service=git-upload-pack", headers=headers).status_code == 403
