"""The manual under /manual/: the pages of docs/, as HTML that works without the internet."""

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = "/manual/"
FIRST = "README"
IMAGE_KINDS = {".png": "image/png", ".jpg": "image/jpeg"}
SHEET = Path(__file__).with_name("manual.css")
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title} · Motherlode</title>
<link rel="icon" href="/static/favicon.svg"><style>{style}</style></head>
<body><header><nav aria-label="Manual"><a href="/manual/">Manual</a> <a href="/app/">To the platform</a></nav></header>
<main>
{body}</main></body>
</html>
"""


def page(request: HttpRequest, name: str = FIRST) -> HttpResponseBase:  # noqa: ARG001 - a view's signature
    """Return a page of the manual, or an image of one. Raises Http404."""
    if image := _images().get(name):
        return FileResponse(image.open("rb"), content_type=IMAGE_KINDS[image.suffix])
    if name not in _pages():
        raise Http404(f"The manual has no page {name!r}; {ROOT} lists its pages.")
    return HttpResponse(_rendered(name), content_type="text/html; charset=utf-8")


def address_of(link: str, page_name: str, pages: Mapping[str, Path]) -> str | None:
    """Return where a link of a page leads: an address of the manual or of another site; None for a file that the
    manual does not have, such as the project's source."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, _, part = link.partition("#")
    target = normpath(str(PurePosixPath(page_name).parent / path))
    known = target in _images()
    target = target if known else target.removesuffix(".md")
    if not known and target not in pages:
        return None
    return f"{ROOT}{'' if target == FIRST else target}{'#' + part if part else ''}"


def slug(heading: str) -> str:
    """Return the id of a heading, as links between the pages name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@cache
def _pages() -> Mapping[str, Path]:
    docs = settings.BASE_DIR / "docs"
    return {path.relative_to(docs).with_suffix("").as_posix(): path for path in docs.rglob("*.md")}


@cache
def _images() -> Mapping[str, Path]:
    docs = settings.BASE_DIR / "docs"
    return {path.relative_to(docs).as_posix(): path for path in docs.rglob("*.*") if path.suffix in IMAGE_KINDS}


@cache
def _rendered(name: str) -> str:
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(_pages()[name].read_text(encoding="utf-8"))
    title = name
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[at + 1].content.replace("`", "")
            title = heading if token.tag == "h1" else title
            token.attrSet("id", slug(heading))
        _lead(token.children or [], name)
    body = parser.renderer.render(tokens, parser.options, {})
    return PAGE.format(title=escape(title), style=SHEET.read_text(encoding="utf-8"), body=body)


def _lead(tokens: list[Token], name: str) -> None:
    """Point the links and images of a paragraph to the manual; what the manual does not have is left as its words."""
    open_links: list[bool] = []
    for token in tokens:
        if token.type == "image":
            token.attrSet("src", address_of(str(token.attrGet("src")), name, _pages()) or "")
        elif token.type == "link_open":
            address = address_of(str(token.attrGet("href")), name, _pages())
            open_links.append(address is not None)
            if address is None:
                token.type, token.tag, token.attrs = "text", "", {}
            else:
                token.attrSet("href", address)
        elif token.type == "link_close" and not open_links.pop():
            token.type, token.tag = "text", ""
