"""Many vectors as points in the plane, alike ones near each other. No Django, no torch.

>>> import numpy as np
>>> from projection import Layout, laid_out
>>> rng = np.random.default_rng(0)
>>> vectors = np.concatenate([rng.normal(at, 0.1, (40, 8)) for at in (0, 5)]).astype(np.float32)
>>> points = laid_out(vectors, Layout(method="pca")).points
>>> points.shape, bool(points[:40, 0].max() < points[40:, 0].min() or points[:40, 0].min() > points[40:, 0].max())
((80, 2), True)
"""

from projection.config import METHODS, Layout, ProjectionConfig
from projection.layout import Laid, laid_out

__all__ = ["METHODS", "Laid", "Layout", "ProjectionConfig", "laid_out"]
