"""The faults, what must hold whatever they hit, and the tests that say whether it does: they kill, cut, freeze and race
real parts, and look at what was acknowledged, lost and doubled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of the matrix."""

    name: str
    holds: str
    tests: tuple[str, ...]
    profiles: tuple[str, ...] = ("embedded", "production")
    strikes: int = 1
    """How often it strikes within one run of its tests, at the least."""


SERVER = ("production",)
"""Of a database that is a server; SQLite is a file."""
FAULTS = (
    Fault(
        "workers killed and frozen in the middle of shards",
        "each result is counted once, by one holder of its lease",
        ("tests/faults/test_killed_workers.py",),
        strikes=22,
    ),
    Fault(
        "workers, broker and store killed while a pool is scored",
        "every sample is scored once, as without a fault",
        (
            "tests/faults/test_killed_scoring.py::test_every_sample_is_scored_once_while_workers_broker_and_store_are_killed",
        ),
        strikes=4,
    ),
    Fault(
        "workers killed while a lake is scanned",
        "every frame is scored once, and the exact choice among all is picked",
        ("tests/faults/test_killed_scan.py",),
    ),
    Fault(
        "workers killed in the middle of a commit",
        "the last version stays, the next is made once",
        ("tests/faults/test_killed_ingest.py",),
        strikes=2,
    ),
    Fault(
        "messages lost, doubled, poisoned; the broker restarted, frozen and away",
        "each shard is worked on, and counted once",
        ("tests/faults/test_broker.py",),
    ),
    Fault(
        "a database that freezes, ends connections and does not answer a commit",
        "everybody is told within seconds, and work goes on when it does",
        ("tests/faults/test_database.py",),
        SERVER,
    ),
    Fault(
        "a store that is down, silent, cuts, flips and loses answers",
        "nothing unproven is handed out, nothing half is kept",
        ("tests/platform/blobs/test_store_faults.py",),
    ),
    Fault(
        "a request whose answer was lost is sent again, by eight at once",
        "it is done once",
        (
            "tests/platform/core/test_idempotency.py::test_of_eight_equal_requests_at_once_one_is_done",
            "tests/platform/core/test_idempotency.py::test_a_first_request_that_never_came_back_frees_its_key",
            "tests/datasets/catalog/test_push_again.py::test_any_push_repeated_makes_one_version",
        ),
    ),
    Fault(
        "clocks two hours wrong",
        "leases end for all at the same moment",
        (
            "tests/platform/jobs/test_claim_shard.py::test_a_worker_whose_clock_is_wrong_decides_the_same",
            "tests/datasets/labeling/test_next.py::test_this_machines_clock_decides_nothing",
        ),
    ),
    Fault(
        "eight workers at one shard, and a zombie among them",
        "one has it, and the zombie writes nothing",
        (
            "tests/platform/jobs/test_claim_shard.py::test_eight_threads_claim_each_shard_once",
            "tests/platform/jobs/test_claim_shard.py::test_an_expired_shard_has_one_new_owner_however_many_want_it",
            "tests/platform/jobs/test_claim_shard.py::test_a_lease_that_ran_out_is_claimed_again_and_the_zombie_writes_nothing",
            "tests/platform/jobs/test_end_job.py::test_two_shards_that_complete_at_once_advance_the_phase_once",
        ),
    ),
    Fault(
        "people at one queue, in any order and at once",
        "each answer counts once, and none is lost",
        ("tests/datasets/labeling/test_labelling_holds.py",),
    ),
    Fault(
        "eight commits at once",
        "whatever was acknowledged is in the head's history",
        (
            "tests/datasets/catalog/test_commit.py::test_eight_threads_commit_and_every_acknowledged_commit_is_reachable",
            "tests/datasets/catalog/test_commit.py::test_of_eight_commits_on_one_parent_one_wins_and_seven_are_told",
        ),
    ),
    Fault(
        "a publication as DVC killed at every step, and two at once",
        "the next finishes it; stock DVC reads every version",
        ("tests/datasets/publishing/test_killed_publication.py",),
    ),
    Fault(
        "a training killed after any step, its newest recovery file torn",
        "the weights of an unbroken run, byte for byte",
        ("tests/models/training/test_resume.py",),
        ("embedded",),
    ),
    Fault(
        "promotions that race",
        "one version serves at a time, and every move is in the history",
        (
            "tests/models/registry/test_promotion.py::test_racing_promotions_leave_one_history_without_gaps",
            "tests/models/registry/test_promotion.py::test_of_racing_promotions_that_must_each_be_better_only_improvements_win",
        ),
    ),
    Fault(
        "collections beside uploads, killed anywhere",
        "no blob that a version names is lost",
        ("tests/platform/garbage_collection/test_collect_while.py",),
    ),
    Fault(
        "poison among the images",
        "it is set aside with its reason, the rest scored as without it",
        (
            "tests/mining/scoring/test_scoring.py::test_poison_is_quarantined_with_its_reason_and_the_rest_is_scored",
            "tests/mining/mining_jobs/test_scores.py::test_poison_is_set_aside_once_and_what_was_only_unreachable_is_tried_again",
        ),
    ),
    Fault(
        "a disk that is full",
        "writes are refused in words, jobs wait, and no attempt is lost",
        ("tests/platform/core/test_disk_space.py",),
    ),
    Fault(
        "programs without memory, time or end",
        "they are stopped, and the job says at which limit",
        ("tests/platform/jobs/test_run_program.py",),
    ),
    Fault(
        "a backup killed, its files flipped and gone",
        "it is named, and nothing damaged is called restored",
        ("tests/platform/operations/test_backup.py", "tests/platform/operations/test_restore.py"),
    ),
    Fault(
        "connections that break while a folder is pushed and pulled",
        "it goes on where it was, and each file arrives whole",
        (
            "tests/datasets/transfers/test_push_and_pull.py::test_a_push_outlives_a_server_that_is_killed",
            "tests/datasets/transfers/test_push_and_pull.py::test_a_pull_outlives_a_broken_connection",
        ),
    ),
)
