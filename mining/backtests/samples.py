"""Which samples a back-test uses, and the digest by which a replay is found again."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db.models import Min, Q

from acquisition import strategy
from catalog.exports.manifests import lines_of
from catalog.models import RevisionQuerySet, Split, Version
from catalog.splits.barring import barred
from mining_jobs.picks.pools import EVIDENCE
from tasktypes import TaskType

JUDGES, VOUCHERS = Split.TEST, Split.VAL
CANDIDATES = (Split.TRAIN, Split.POOL)
Line = Mapping[str, Any]


def labelled(version: Version) -> RevisionQuerySet:
    """Return the labelled samples of a back-test: candidates of different bytes, whose known labels a replay reveals,
    as a mining job asks for no label twice, and the test samples that judge every model."""
    rows = _labelled(version)
    first = rows.exclude(split=JUDGES).order_by().values("blob").annotate(first=Min("pk")).values("first")
    return rows.filter(Q(split=JUDGES) | Q(pk__in=first))


def copies(version: Version) -> int:
    """Count the labelled samples that are no candidates because another candidate has their bytes."""
    return _labelled(version).count() - labelled(version).count()


def _labelled(version: Version) -> RevisionQuerySet:
    rows = version.revisions.filter(split__in=[*CANDIDATES, JUDGES]).exclude(label=None)
    return rows.exclude(pk__in=left_out(version).values("pk"))


def left_out(version: Version) -> RevisionQuerySet:
    """Return the labelled samples that no replay may reveal: near-duplicates of test samples, which are not trained
    on."""
    return barred(version).exclude(label=None)


def samples_of(version: Version) -> tuple[list[Line], list[Line]]:
    """Return candidates and test samples, by sample id: the order that seeds refer to."""
    rows = labelled(version)
    return list(lines_of(rows.exclude(split=JUDGES))), list(lines_of(rows.filter(split=JUDGES)))


def asks_evidence(arm: Mapping[str, Any]) -> bool:
    """Whether a strategy `{name, params}` is fitted on a model's predictions for labelled samples."""
    return "evidence" in strategy(arm["name"], arm["params"]).needs


def evidence_of(version: Version) -> list[Line]:
    """Return the labelled validation samples of known size, at most EVIDENCE evenly spread ones, as a mining job uses
    them; empty where there are none: then a replay uses its own labels."""
    rows = version.revisions.filter(split=VOUCHERS, blob__width__gt=0, blob__height__gt=0).exclude(label=None)
    lines: list[Line] = list(lines_of(rows))
    return lines[:: -(-len(lines) // EVIDENCE)] if lines else lines


def samples_digest(task: TaskType, classes: Sequence[str], *parts: Iterable[Line]) -> str:
    """Return the digest of the images of some samples and of their labels."""
    return digest_of([classes, *([(line["md5"], _answer(task, line)) for line in lines] for lines in parts)])


def _answer(task: TaskType, line: Line) -> Any:
    known = task.agreement.category(line["label"])
    return line["label"] if known is None else known


def digest_of(document: Any) -> str:
    """Return the hexadecimal digest of a document; the order of keys does not matter."""
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()
