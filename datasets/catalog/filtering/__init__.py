"""The one grammar for choosing samples: slices, listings, exports, queues and mining all read it.

`expressions` says what there is, `documents` and `text` read and write its two forms, `checks` holds an expression
against a dataset, `sql` evaluates it.
"""
