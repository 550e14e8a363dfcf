"""Twenty faults as people make them: a sign, a bound, a swapped pair, a condition left out. None was chosen by what a
test looks at. Each names the tests of its part, which belong to the short run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """In `file`, `sound` (which stands there once) becomes `broken`."""

    name: str
    file: str
    sound: str
    broken: str
    tests: tuple[str, ...]
    production: bool = False
    """They run on the production profile alone: PostgreSQL and RabbitMQ."""


FAULTS = (
    Fault(
        "a worker whose lease went to another still writes its result",
        "platform/jobs/services.py",
        "Shard.objects.filter(pk=held.shard.pk, token=held.token, state=Shard.State.RUNNING)",
        "Shard.objects.filter(pk=held.shard.pk, state=Shard.State.RUNNING)",
        ("tests/platform/jobs/test_claim_shard.py", "tests/platform/jobs/test_end_job.py"),
    ),
    Fault(
        "what a commit replaces is still there in the new version",
        "datasets/catalog/versions/rows.py",
        "update(until=plan.number)",
        "update(until=plan.number + 1)",
        ("tests/datasets/catalog/test_commit.py",),
    ),
    Fault(
        "a fork does not know the groups of the version it was forked from",
        "datasets/catalog/splits/groups.py",
        "since__lte=number",
        "since__lt=number",
        ("tests/datasets/catalog/test_split_rule.py", "tests/datasets/catalog/test_histories.py"),
    ),
    Fault(
        "a sample that is moved to test is not compared with the pool and train",
        "datasets/catalog/duplicates/near.py",
        "return (after.split == Split.TEST) != (before.split == Split.TEST)",
        "return after.split != Split.TEST and before.split == Split.TEST",
        ("tests/datasets/catalog/test_near_duplicates.py",),
    ),
    Fault(
        "`!=` holds for samples that have no such value",
        "datasets/catalog/filtering/sql.py",
        "_not(equal) & Q(IsNull(column, False))",
        "_not(equal)",
        ("tests/datasets/catalog/test_filter_sql.py",),
    ),
    Fault(
        "the offset of a pack's member is that of its end",
        "platform/blobs/packs.py",
        "self._members.append((digests, len(self._pack)))\n                self._pack += data\n",
        "self._pack += data\n                self._members.append((digests, len(self._pack)))\n",
        ("tests/platform/blobs/test_packs.py",),
    ),
    Fault(
        "the length of a long DVC listing is that of its last part",
        "datasets/versioning/listing.py",
        'buffer += b"]"\n    length += _flush',
        'buffer += b"]"\n    length = _flush',
        ("tests/datasets/versioning",),
    ),
    Fault(
        "width and height of a VOC file are swapped",
        "datasets/formats/kinds/voc.py",
        'for side in ("width", "height"))',
        'for side in ("height", "width"))',
        ("tests/datasets/formats", "tests/contracts/test_formats.py"),
    ),
    Fault(
        "of equal votes the class that is first in the list wins, not the one given first",
        "datasets/agreement/consensus.py",
        "np.lexsort((first, -counts, tasks))",
        "np.lexsort((-counts, tasks))",
        ("tests/datasets/agreement",),
    ),
    Fault(
        "a gate refuses a value that is just its bound",
        "models/registry/gate_grammar.py",
        "low >= self.limit - slack",
        "low >= self.limit + slack",
        ("tests/models/registry/test_gates.py",),
        production=True,
    ),
    Fault(
        "an alias is moved although somebody moved it since the gates were judged",
        "models/registry/promotion.py",
        "if current != judged.against or (judged.own and gates_of(model, None) != judged.gates):",
        "if judged.own and gates_of(model, None) != judged.gates:",
        ("tests/models/registry/test_promotion.py",),
        production=True,
    ),
    Fault(
        "parity takes the least of the differences between batch sizes",
        "models/export/parity.py",
        "variance = max(float(",
        "variance = min(float(",
        ("tests/models/export/test_export.py",),
    ),
    Fault(
        "k-center never looks at points outside of its block",
        "mining/acquisition/kernels/farthest.py",
        "top = highest(bounds, block + 1)",
        "top = highest(bounds, block)",
        ("tests/mining/acquisition/kernels/test_farthest.py",),
    ),
    Fault(
        "the entropy of probabilities with a zero among them has the wrong sign",
        "mining/acquisition/uncertainty.py",
        "nats: Floats = -np.vecdot(rest,",
        "nats: Floats = np.vecdot(rest,",
        ("tests/mining/acquisition/test_strategies.py",),
    ),
    Fault(
        "a committee leaves out the first sample of each member's table",
        "mining/scoring/table.py",
        "table.rows(self.md5) >= 0",
        "table.rows(self.md5) > 0",
        ("tests/mining/scoring",),
    ),
    Fault(
        "a repeated request does the work again while the first is under way",
        "platform/core/idempotency.py",
        "created__lt=Now() - patience",
        "created__lt=Now()",
        ("tests/platform/core/test_idempotency.py",),
    ),
    Fault(
        "what a view does not name is open to annotators",
        "platform/accounts/permissions.py",
        "else Right.BUILD)",
        "else Right.LABEL)",
        ("tests/platform/accounts/test_permissions.py",),
    ),
    Fault(
        "the next page leaves out a row",
        "platform/core/pagination.py",
        "        rows = rows[:limit]\n        last = getattr(rows[-1], key)\n",
        "        last = getattr(rows[-1], key)\n        rows = rows[:limit]\n",
        ("tests/platform/core/test_pagination.py",),
    ),
    Fault(
        "after a rest a schedule starts a round for each time that was missed",
        "mining/pipelines/rounds/loop.py",
        "schedules.next_run(pipeline.schedule, now)",
        "schedules.next_run(pipeline.schedule, due)",
        ("tests/mining/pipelines/test_schedule.py",),
        production=True,
    ),
    Fault(
        "a browser whose clock is wrong moves leases the wrong way",
        "frontend/src/features/labeling/lease.ts",
        "Date.parse(lease.lease_until) - skew",
        "Date.parse(lease.lease_until) + skew",
        ("frontend/src/features/labeling", "frontend/src/app/workspace.test.tsx"),
    ),
)  # fmt: skip
