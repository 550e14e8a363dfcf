"""Committees that a version can't form are refused when a mining job is asked for."""

import pytest
from tests.mining.nearest_mean import registered

from mining_jobs.models import MiningJob
from registry.ancestry import ENSEMBLE
from registry.models import Model, ModelVersion


@pytest.mark.django_db
def test_masks_over_an_ensemble_are_refused_and_name_its_members(api, truth, alice):
    model = Model.objects.get()
    registered(model, alice)
    first = model.versions.get()
    whole = ModelVersion.objects.create(
        model=model,
        number=2,
        architecture=ENSEMBLE,
        digest="e" * 64,
        dataset_version=first.dataset_version,
        created_by=alice,
    )
    whole.made_from.add(first)
    body = {"dataset": "digits", "model": "digits-cnn@2", "strategy": "bald", "count": 5}
    refused = api.post("/mining/jobs", body | {"committee": {"dropout": {"members": 4}}}, format="json")
    assert refused.status_code == 400
    (words,) = refused.json()["errors"]["committee.dropout"]
    assert "digits-cnn@2 is an ensemble" in words
    assert "`versions` (1)" in words
    assert not MiningJob.objects.exists()
