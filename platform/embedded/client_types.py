"""Generate the Python client's types from the API's schema: those its modules import, and the types they refer to."""

import ast
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedded.layout import project_root
from embedded.setup.pythons import supported

CLIENT = project_root() / "platform" / "motherlode"
MODULE = "motherlode.documents"
REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')
HEADER = '"""The documents of the REST API. Made from its schema by `make schema`: not written by hand."""\n'
# No type expresses these. The generator would give a part with them, as any unnamed part, a name that may be another's.
BOUNDS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"}
OPTIONS = (
    "--input-file-type=openapi", "--output-model-type=typing.TypedDict",
    "--use-standard-collections", "--use-union-operator", "--use-schema-description", "--use-double-quotes",
    "--disable-timestamp", "--formatters=builtin", "--enum-field-as-literal=all", "--no-use-closed-typed-dict",
)  # fmt: skip


def write_client_types(schema: Path, to: Path, programs: Path) -> None:
    """Write the module `motherlode.documents`; `programs` is the folder of the generator. Raises KeyError for a type
    that the API does not have, and CalledProcessError with the generator's output."""
    document = json.loads(schema.read_text())
    document["paths"] = {}
    document["components"] = {"schemas": _reached(document["components"]["schemas"], _named())}
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, "openapi.json")
        part.write_text(json.dumps(document))
        make = [str(programs / "datamodel-codegen"), f"--input={part}", f"--output={to}"]
        make += [f"--target-python-version=3.{min(supported(project_root()))}"]
        form = [str(programs / "ruff"), "format", f"--config={project_root() / 'pyproject.toml'}", str(to)]
        for argv in ([*make, f"--custom-file-header={HEADER}", *OPTIONS], form):
            subprocess.run(argv, capture_output=True, text=True, check=True)


def _named() -> set[str]:
    """Return the names of the types that the client's modules import."""
    trees = [ast.parse(module.read_text()) for module in CLIENT.rglob("*.py")]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports if node.module == MODULE for alias in node.names}


def _reached(schemas: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """Return the named schemas and all they refer to, by name."""
    reached, todo = dict[str, Any](), sorted(names)
    while todo:
        name = todo.pop()
        if name not in reached:
            schema = schemas[name]
            reached[name] = schema | {"properties": _plain(schema["properties"])} if "properties" in schema else schema
            todo += REFERENCE.findall(json.dumps(reached[name]))
    return dict(sorted(reached.items()))


def _plain(part: Any) -> Any:
    """Return a part of a schema without bounds, with unnamed objects replaced by a plain object."""
    if isinstance(part, list):
        return [_plain(one) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("properties"), dict):
        return {"type": part.get("type", "object")}
    return {key: _plain(one) for key, one in part.items() if key not in BOUNDS or isinstance(one, dict)}
