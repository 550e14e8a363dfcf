"""The manifests of a lake, which store frames without a database row each, as columns in Parquet files: checking and
cutting an uploaded manifest, finding frames in it, and picking a batch from it in two stages. No Django.

>>> import io, numpy as np, pyarrow as pa
>>> from lake import Kept, frames_table, keep, merged, read_group, write_group
>>> rows = {"key": ["a.png", "b.png"], "md5": [bytes(16)] * 2, "sha256": [bytes(32)] * 2, "size": [4, 4],
...         "pack": ["00" * 32] * 2, "offset": [0, 4], "width": [1, 1], "height": [1, 1], "speed": [3, 40]}
>>> group = write_group(frames_table(rows))
>>> read_group(group, ["key", "speed"]).to_pylist()
[{'key': 'a.png', 'speed': 3}, {'key': 'b.png', 'speed': 40}]
>>> contents = np.array([5, 6], np.uint64)
>>> kept = keep(np.array([0.2, 0.9]), np.array([0.1, 0.7]), np.arange(2), contents, count=1, control=0)
>>> chosen = merged([kept], count=1, share=0.0)
>>> chosen.places.tolist(), chosen.scores.tolist()
([[0, 1]], [0.9])
"""

from lake.conditions import Condition, condition, lacking, matching
from lake.errors import LakeError
from lake.groups import GROUP_ROWS, Found, frames_table, place_of, read_group, write_group
from lake.picking import CANDIDATES, Chosen, Kept, first_of_each, keep, merged, priorities, words_of

__all__ = [
    "CANDIDATES",
    "GROUP_ROWS",
    "Chosen",
    "Condition",
    "Found",
    "Kept",
    "LakeError",
    "condition",
    "first_of_each",
    "frames_table",
    "keep",
    "lacking",
    "matching",
    "merged",
    "place_of",
    "priorities",
    "read_group",
    "words_of",
    "write_group",
]
