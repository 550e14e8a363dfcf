"""Code that the programs `training`, `export` and `scoring` share with the workers that start them.

A program is one process: `python -m NAME CONFIG.json`. Its config is a validated dataclass (`config`), its samples come
as a manifest (`manifest`) whose bytes a reader fetches (`readers`, `blobs.opening`) and `blobs.decoding` decodes, and
it reports its progress in JSON lines (`events`). No Django here.

>>> import tempfile
>>> from worker_programs.readers import Folder
>>> from worker_programs.manifest import Sample
>>> folder = Folder(tempfile.mkdtemp())
>>> sample = Sample.of("a.png", folder.put(b"bytes of an image"), label={"class": "cat"})
>>> [data for _, data in folder.get_many([sample.ref])]
[b'bytes of an image']
"""
