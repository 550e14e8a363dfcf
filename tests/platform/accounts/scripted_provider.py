"""An identity provider that does as a test says, also what no provider should: wrong claims, keys and algorithms."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "motherlode", "only-for-tests"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})


def unsigned(claims: dict[str, Any]) -> str:
    """An ID token with `alg: none`."""
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(_text(json.dumps(part).encode()) for part in parts) + "."


def with_public_key(claims: dict[str, Any]) -> str:
    """An ID token with `alg: HS256` whose secret is the text of the provider's public key, which anybody has."""
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    signed = ".".join(_text(json.dumps(part).encode()) for part in parts)
    return f"{signed}.{_text(hmac.digest(KEY.as_pem(private=False), signed.encode(), 'sha256'))}"


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Provider:
    """`claims` are put over those of a good token, None takes one out; `sign` makes the token of them."""

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] | None = None
    asked: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        at = {name: f"{self.issuer}/{name}" for name in ("authorize", "token", "jwks", "userinfo")}
        return {
            "issuer": self.issuer,
            "authorization_endpoint": at["authorize"],
            "token_endpoint": at["token"],
            "jwks_uri": at["jwks"],
            "userinfo_endpoint": at["userinfo"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        } | self.about

    def token(self, form: dict[str, str], login: str) -> dict[str, Any]:
        """The answer of the token endpoint, for who proves to be the client that asked (PKCE)."""
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = _text(digest)
        assert self.asked["code_challenge_method"] == "S256"
        assert challenge == self.asked["code_challenge"]
        assert base64.b64decode(login).decode() == f"{CLIENT}:{SECRET}"
        now = int(time.time())
        good = {
            "iss": self.issuer, "aud": CLIENT, "sub": "ana-at-work", "iat": now, "exp": now + 300,
            "nonce": self.asked["nonce"], "email": "ana@example.org", "email_verified": True,
        } | self.claims  # fmt: skip
        claims = {name: value for name, value in good.items() if value is not None}
        made = self.sign(claims) if self.sign else jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)
        return {"access_token": secrets.token_hex(8), "token_type": "Bearer", "expires_in": 300, "id_token": made}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        documents: dict[str, Any] = {
            "/.well-known/openid-configuration": self.provider.document(),
            "/jwks": {"keys": [KEY.as_dict(private=False)]},
            "/userinfo": self.provider.userinfo,
        }
        self._answer(documents[path])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._answer(self.provider.token(form, self.headers["Authorization"].removeprefix("Basic ")))

    def _answer(self, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing: a test says what went wrong."""


@contextmanager
def scripted_provider() -> Iterator[Provider]:
    """One that listens."""
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": provider}))
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
