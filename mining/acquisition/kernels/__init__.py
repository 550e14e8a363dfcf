"""The arithmetic under the strategies: matrix products in blocks, and picks that do not depend on the blocks.

What "exact" means here. A matrix product in float32 gives the same distance with other last bits when it is cut into
other blocks, by another BLAS or on a GPU; compared as they are, such numbers pick differently where two candidates are
nearly level. So float32 products only ever *bound* a distance, with a proven margin (`points.Points.margin`), and every
decision is made on numbers that no order of addition can change:

- k-center, coverage, clusters and typicality compare squared distances of points rounded to a grid (`grid.Grid`). On it
  they are whole numbers below 2^53, which float64 adds without error. Equal ones are really equal, and ties go to the
  lower row.
- Coverage adds similarities of 20 bits times weights of 16 bits: again whole numbers that float64 adds without error.
- BADGE draws by chance. The law is k-means++'s for distances in float64 (a distance below 1e-6 of the vectors' lengths
  counts as none); the draws are made in blocks of one size whatever the settings.
"""
