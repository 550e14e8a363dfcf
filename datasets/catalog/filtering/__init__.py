"""Filters, the one grammar for choosing samples: slices, listings, exports, queues and mining all use it.

`expressions` defines fields, operators and the tree; `documents`, `text` and `printing` read and write its two forms;
`checks` validates an expression for a dataset; `sql` evaluates it.
"""
