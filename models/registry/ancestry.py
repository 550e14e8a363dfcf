"""Which versions carry the weights of which: by warm starts, ensembles, and uploads derived from others.

An edge is one step: the child's file holds the parent's weights, or its training began with them. All edges from (or
to) any number of versions, to any depth, are one recursive query.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from django.db import connection

from registry.models import ModelVersion, Run

How = Literal["started from", "member", "derived"]
ENSEMBLE = "ensemble"
"""The architecture of ensembles."""


@dataclass(frozen=True, slots=True)
class Edge:
    """`child` (an id of a version) carries the weights of `parent`."""

    child: int
    parent: int
    how: How


def edges_below(roots: Collection[int]) -> list[Edge]:
    """Return the edges from these versions to all that descend from them."""
    return _edges(roots, start="parent", onward="child")


def edges_above(roots: Collection[int]) -> list[Edge]:
    """Return the edges from these versions to all that they descend from."""
    return _edges(roots, start="child", onward="parent")


def closure(edges: Iterable[Edge], roots: Collection[int], *, above: bool = False) -> set[int]:
    """Return the roots and every version that these edges lead to from them; with `above`, against their direction."""
    onward: Mapping[int, list[int]] = defaultdict(list)
    for edge in edges:
        start, end = (edge.child, edge.parent) if above else (edge.parent, edge.child)
        onward[start].append(end)
    reached, waiting = set(roots), list(roots)
    while waiting:
        for following in onward.get(waiting.pop(), ()):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def _edges(roots: Collection[int], *, start: str, onward: str) -> list[Edge]:
    if not roots:
        return []
    version, run, made = (table._meta.db_table for table in (ModelVersion, Run, ModelVersion.made_from.through))  # noqa: SLF001 - its documented API
    # Everything that is put into the text is a name of ours; what varies is a number.
    numbers = ", ".join(str(int(root)) for root in sorted(roots))
    sql = f"""
        WITH RECURSIVE edge(child, parent, how) AS (
            SELECT v.id, r.parent_id, 'started from' FROM {version} v JOIN {run} r ON r.id = v.run_id
            WHERE r.parent_id IS NOT NULL
            UNION ALL
            SELECT m.from_modelversion_id, m.to_modelversion_id,
                   CASE WHEN v.architecture = '{ENSEMBLE}' THEN 'member' ELSE 'derived' END
            FROM {made} m JOIN {version} v ON v.id = m.from_modelversion_id
        ), line(id) AS (
            SELECT id FROM {version} WHERE id IN ({numbers})
            UNION
            SELECT edge.{onward} FROM edge JOIN line ON edge.{start} = line.id
        )
        SELECT child, parent, how FROM edge WHERE {start} IN (SELECT id FROM line) ORDER BY child, parent, how
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [Edge(*row) for row in cursor.fetchall()]
