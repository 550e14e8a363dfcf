"""`lode notifications`: what waits for you."""

from __future__ import annotations

from typing import Annotated

import typer

from motherlode.cli.terminal import answered, client, out, show_table

Seen = Annotated[bool, typer.Option("--seen", help="mark all of them as seen")]
Mail = Annotated[
    bool | None, typer.Option("--mail/--no-mail", help="whether you get mail about them, at most one an hour")
]


def notifications(seen: Seen = False, mail: Mail = None) -> None:
    """Show what waits for you: images to label or review, answers to commit, comments that mention you, failed jobs and
    rounds, models to decide about."""
    own = client().notifications
    if mail is not None:
        own.want_mail(mail)
    found = own.mark_seen() if seen else own.get()
    if answered(found):
        return
    rows = ((it["at"][:19], "" if it["seen"] else "new", it["title"], it["project"]) for it in found["results"])
    show_table("since", "", "what", "project", rows=rows)
    if found["left_out"]:
        out.print(f"{found['left_out']:,} older queues, comments, jobs and rounds were not looked at.")
    if mail is not None:
        later = "once you have an address and the platform has a mail server"
        where = f"to {found['mail_to']}" if found["mail_to"] else later
        out.print(f"You get mail {where}." if found["mail"] else "You get no mail.")
