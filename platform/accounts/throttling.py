"""Wrong secrets are counted by the address that sends them; an address that sent too many has to wait.

There are no passwords here: a wrong secret names no account, so nobody's account can be locked by a stranger. The same
wrong secret counts once, as a program with an old token is not guessing. A token that was used from an address before
is accepted from there also while the address waits, so that nobody is shut out by a neighbour behind the same gateway.
"""

from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.audit import address_of, note
from accounts.models import WrongSecrets
from core.errors import TooManyAttempts

TOKENS = "tokens"
ALL_KINDS = 5
"""The limit for wrong secrets of all kinds together, as a multiple of the limit for one kind."""
FIRST_WAIT = 60
"""The first wait in seconds. Each further wrong secret doubles it, up to MOTHERLODE_SIGN_IN_WAIT."""
FORGOTTEN = timedelta(hours=1)
"""After this time without a new wrong secret an address starts at zero again."""


def place_of(address: str) -> str:
    """Return what is counted as one address: for IPv6 the /64 network that one customer is given."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address  # empty where the platform listens on its own machine alone
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))
    return str(parsed)


def check_wait(request: HttpRequest, kind: str) -> None:
    """Raise TooManyAttempts while this address must wait, even if the secret it sends now is right."""
    rows = WrongSecrets.objects.filter(key__in=_limits(request, kind), until__gt=timezone.now())
    _refuse(max((row.until for row in rows if row.until), default=None))


def count_wrong(request: HttpRequest, kind: str, secret: str) -> None:
    """Count a wrong secret, unless this one was counted before. Raises TooManyAttempts when the limit is reached."""
    limits = _limits(request, kind)
    tag = salted_hmac("accounts.throttling", secret, algorithm="sha256").hexdigest()[:16]
    known = {row.key for row in WrongSecrets.objects.filter(key__in=limits) if tag in row.tags and not _is_old(row)}
    if known == {*limits}:
        check_wait(request, kind)
        return
    with transaction.atomic():
        waits = [_count(key, most, tag) for key, most in limits.items()]
        until = max((wait for wait in waits if wait), default=None)
        if until is not None:
            after = {"wrong secrets for": kind, "until": until.isoformat(timespec="seconds")}
            note("made to wait", "address", place_of(address_of(request)), after=after)
    _refuse(until)


def forget_wrong(request: HttpRequest, kind: str) -> None:
    """Reset this address's count after a sign-in, except the count of all kinds."""
    WrongSecrets.objects.filter(key=_key(request, kind)).delete()


def forget_old() -> int:
    """Delete expired counts. Returns how many."""
    return WrongSecrets.objects.filter(changed__lt=timezone.now() - 24 * FORGOTTEN).delete()[0]


def _limits(request: HttpRequest, kind: str) -> dict[str, int]:
    """Return the limit of wrong secrets for each count, by its key; in the order in which they are locked."""
    most: int = settings.SIGN_IN_TRIES
    return {_key(request, kind): most, _key(request, ""): most * ALL_KINDS} if most else {}


def _key(request: HttpRequest, kind: str) -> str:
    return f"{kind} {place_of(address_of(request))}"


def _is_old(row: WrongSecrets) -> bool:
    return row.changed < timezone.now() - FORGOTTEN


def _count(key: str, most: int, tag: str) -> datetime | None:
    """Add one to this row's count. Returns until when its address must wait, None if it need not."""
    now = timezone.now()
    WrongSecrets.objects.get_or_create(key=key, defaults={"changed": now})
    row = WrongSecrets.objects.select_for_update().get(key=key)
    if _is_old(row):
        row.count, row.tags = 0, []
    if tag not in row.tags:
        row.count, row.tags, row.changed = row.count + 1, [*row.tags, tag][-2 * most :], now
        if row.count >= most:
            doubled = FIRST_WAIT << min(row.count - most, 16)
            row.until = now + timedelta(seconds=min(doubled, settings.SIGN_IN_WAIT))
        row.save()
    return row.until if row.until and row.until > now else None


def _refuse(until: datetime | None) -> None:
    if until is None:
        return
    wait = max(1, round((until - timezone.now()).total_seconds()))
    words = f"Too many wrong tokens or secrets came from your address: try again in {_in_words(wait)}."
    raise TooManyAttempts(words, wait=wait)


def _in_words(seconds: int) -> str:
    if seconds < 90:
        return f"{seconds} seconds" if seconds > 1 else "a second"
    return f"{round(seconds / 60)} minutes"
