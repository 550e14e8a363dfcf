"""Committees: masks in the graph, other versions' scores, and the documents that ask for them."""

import cv2
import numpy as np
import onnx
import pytest
from onnx import helper
from tests.linear_model import linear_model, softmax, weights

from export.runtime import ModelError, Session
from scoring import AS_IT_IS, Dropout, Scores, ScoreTable, committee_of, mapped, packed, score
from scoring.config import SCORER
from scoring.members import masks, with_members
from worker_programs.config import ConfigError
from worker_programs.manifest import Sample
from worker_programs.readers import Folder

IMAGES = np.random.default_rng(3).integers(0, 256, (9, 4, 4, 1), dtype=np.uint8)
DROPOUT = Dropout(members=5, rate=0.3, seed=7)


def expected(dropout):
    embedding = IMAGES.reshape(9, 1, 16).astype(np.float32)
    return softmax((embedding * masks(dropout, 16)) @ weights())


def opened(proto, dropout=DROPOUT):
    return Session(with_members(proto.SerializeToString(), dropout))


def test_members_are_the_head_over_masked_embeddings_and_the_rest_is_as_it_was():
    outputs, members = opened(linear_model()).run_committee(IMAGES)
    np.testing.assert_allclose(members, expected(DROPOUT), atol=1e-5)
    for with_them, alone in zip(outputs, Session(linear_model().SerializeToString()).run(IMAGES), strict=True):
        np.testing.assert_array_equal(with_them, alone)


def test_equal_seeds_give_equal_members_whatever_the_batch_and_others_give_others():
    session = opened(linear_model())
    whole = session.run_committee(IMAGES)[1]
    parts = [session.run_committee(IMAGES[at : at + 2])[1] for at in range(0, 9, 2)]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-6)
    np.testing.assert_array_equal(opened(linear_model()).run_committee(IMAGES)[1], whole)
    other = opened(linear_model(), Dropout(members=5, rate=0.3, seed=8)).run_committee(IMAGES)[1]
    assert np.abs(other - whole).max() > 0.01


def test_masks_leave_out_the_rate_and_keep_the_mean():
    made = masks(Dropout(members=64, rate=0.25, seed=1), 4096)
    assert made.shape == (64, 4096)
    assert abs((made == 0).mean() - 0.25) < 0.01
    assert abs(made.mean() - 1) < 0.01


def test_a_head_that_reads_below_a_cast_embedding_is_found():
    """As in adopted files: `embedding` is a copy of what the head reads."""
    proto = linear_model()
    below = helper.make_node("Flatten", ["input"], ["below"])
    copy = helper.make_node("Identity", ["below"], ["embedding"])
    head = [node for node in proto.graph.node if node.op_type != "Flatten"]
    head[0].input[0] = "below"
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in head]
    del proto.graph.node[:]
    proto.graph.node.extend([below, copy, *kept])
    np.testing.assert_allclose(opened(proto).run_committee(IMAGES)[1], expected(DROPOUT), atol=1e-5)


def test_logits_that_are_made_of_more_than_the_embedding_are_refused():
    proto = linear_model()
    proto.graph.node[0].output[0] = "flat"
    proto.graph.node[1].input[0] = "flat"
    proto.graph.node.insert(1, helper.make_node("Neg", ["flat"], ["embedding"]))
    with pytest.raises(ModelError, match="not made of the embedding alone"):
        opened(proto)


def test_members_are_kept_in_the_score_file(tmp_path):
    folder = Folder(tmp_path)
    images = [cv2.imencode(".png", image)[1].tobytes() for image in IMAGES]
    samples = [Sample.of(f"{place}.png", folder.put(data)) for place, data in enumerate(images)]
    made = score(opened(linear_model()), samples, folder, batch_size=4)
    table = ScoreTable(mapped([[made.to_bytes()]]))
    rows = table.rows(packed(sample.md5 for sample in samples))
    np.testing.assert_allclose(table.members_of(rows), expected(DROPOUT), atol=1e-5)
    np.testing.assert_allclose(table.probabilities_of(rows).sum(1), 1, atol=1e-5)


def of(digests, value):
    rows = np.full((len(digests), 2), value, np.float32)
    return ScoreTable([Scores.of(packed(f"{digest:032x}" for digest in digests), rows, rows)])


def test_of_other_versions_only_what_all_have_scored_has_a_row():
    own = of([1, 2, 3], 0.5)
    table = ScoreTable(own._parts, [of([3, 2, 9], 0.25), of([2, 3], 0.125)])
    rows = table.rows(packed(f"{digest:032x}" for digest in (3, 1, 2)))
    assert rows.tolist() == [1, -1, 0]
    assert table.members_of(rows[[0, 2]])[..., 0].tolist() == [[0.5, 0.25, 0.125]] * 2
    with pytest.raises(ValueError, match="no members"):
        own.members_of(rows[:1])


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({}, "committee"),
        ({"versions": [1], "dropout": {}}, "committee"),
        ({"versions": [1], "flips": True}, "committee"),
        ({"flips": False}, "committee"),
        ({"flips": "yes"}, "committee.flips"),
        ({"versions": []}, "committee.versions"),
        ({"dropout": {"members": 1}}, "committee.dropout.members"),
        ({"dropout": {"rate": 1}}, "committee.dropout.rate"),
        ({"ensemble": 3}, "committee.ensemble"),
    ],
)
def test_a_committee_that_cannot_be_is_refused_by_field(document, field):
    with pytest.raises(ConfigError) as caught:
        committee_of(document)
    assert list(caught.value.errors) == [field]


def passes(document):
    found = committee_of(document)
    assert found is not None
    return [one.scorer for one in found.passes]


def test_scores_are_kept_apart_by_all_that_makes_them():
    masked = [{"dropout": {"members": members, "rate": rate, "seed": seed}}
              for members in (2, 64) for rate in (0.1, 0.123456) for seed in (0, 2**31 - 1)]  # fmt: skip
    keys = [key for document in (*masked, {"flips": True}) for key in passes(document)]
    assert len(set(keys)) == len(keys) == 8 + 2
    assert max(map(len, keys)) <= 60
    assert passes({"flips": True})[0] == AS_IT_IS.scorer == SCORER, "the image itself is scored once for all"
    assert passes({"versions": [1, 2]}) == [SCORER]


def test_a_mirrored_pass_shows_the_model_the_mirror_image(tmp_path):
    folder = Folder(tmp_path)
    samples = [
        Sample.of(f"{at}.png", folder.put(cv2.imencode(".png", one)[1].tobytes())) for at, one in enumerate(IMAGES)
    ]
    session = Session(linear_model().SerializeToString())
    made = score(session, samples, folder, batch_size=4, mirrored=True)
    rows = ScoreTable([made]).rows(packed(sample.md5 for sample in samples))
    np.testing.assert_allclose(made.probabilities[rows], session.run(IMAGES[:, :, ::-1]).probabilities, atol=1e-6)
    assert np.abs(made.probabilities[rows] - session.run(IMAGES).probabilities).max() > 0.01
    assert made.cells is None
