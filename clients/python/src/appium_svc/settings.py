"""Address of the lab and credentials from the environment, otherwise from what ``svc login`` stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ._credentials_file import StoredPair, UnusableFile, stored_pairs
from ._secret import Secret

BEARER_AUDIENCES = ("svc-rest", "svc-mcp")

_PAIR_NAMES = ("SVC_ACCESS_KEY", "SVC_ACCESS_KEY_FILE", "SVC_TOKEN", "SVC_TOKEN_FILE")
_SET_URL = "Set SVC_URL to the address of the lab, as in https://lab.example:4723"


class SettingError(ValueError):
    """Error for a missing or invalid setting that a person has to correct. It never contains the given value."""


@dataclass(frozen=True)
class Settings:
    """Address of a lab, and either a key pair or the tokens of a CI job."""

    url: str
    audience: str
    access_key: Secret | None = None
    token: Secret | None = None
    access_token: Secret | None = None
    session_token: Secret | None = None


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Reads ``SVC_URL``, ``SVC_ACCESS_KEY``, ``SVC_TOKEN`` and ``SVC_AUDIENCE``.

    The audience is ``svc-rest`` (the default) or ``svc-mcp``. ``SVC_ACCESS_KEY_FILE`` and ``SVC_TOKEN_FILE`` can name
    files that hold the access key and the token. If the environment names no key pair, the tokens of a CI job in
    ``SVC_ACCESS_TOKEN`` and ``SVC_SESSION_TOKEN`` are used, which ``ci-login`` writes. If these are not set either, the
    key pair is the one that ``svc login`` stored for the address. ``SVC_URL`` can be absent if the environment names no
    credential and ``svc login`` has stored a key pair for one lab only.
    """
    audience = bearer_audience(environ.get("SVC_AUDIENCE", "").strip() or BEARER_AUDIENCES[0])
    address = environ.get("SVC_URL", "").strip()
    url = service_origin(address) if address else None
    has_pair = any(environ.get(name, "").strip() for name in _PAIR_NAMES)
    access_token = environ.get("SVC_ACCESS_TOKEN", "").strip()
    if access_token and not has_pair:
        if url is None:
            raise SettingError(_SET_URL)
        session_token = environ.get("SVC_SESSION_TOKEN", "").strip()
        return Settings(
            url=url,
            audience=audience,
            access_token=Secret(access_token),
            session_token=Secret(session_token) if session_token else None,
        )
    if not has_pair:
        url, pair = _stored(url, environ)
        return Settings(url=url, access_key=pair.access_key, token=pair.token, audience=audience)
    if url is None:
        raise SettingError(_SET_URL)
    return Settings(
        url=url,
        access_key=_secret("SVC_ACCESS_KEY", environ),
        token=_secret("SVC_TOKEN", environ),
        audience=audience,
    )


def _stored(url: str | None, environ: Mapping[str, str]) -> tuple[str, StoredPair]:
    """Returns the stored key pair of an address. Without an address, the file must contain exactly one key pair."""
    try:
        pairs = stored_pairs(environ)
    except UnusableFile as unusable:
        raise SettingError(str(unusable)) from None
    if url is None:
        if not pairs:
            raise SettingError(f"{_SET_URL}, or sign in with: svc login <address>")
        if len(pairs) > 1:
            raise SettingError(f"Set SVC_URL to one of the labs that you are signed in to: {', '.join(pairs)}")
        address, pair = next(iter(pairs.items()))
        return service_origin(address), pair
    stored = pairs.get(url)
    if stored is None:
        raise SettingError(
            f"Sign in with: svc login {url}\nIn a script, set SVC_ACCESS_KEY, or SVC_ACCESS_KEY_FILE to a file that "
            "holds it, and SVC_TOKEN, or SVC_TOKEN_FILE"
        )
    return url, stored


def _secret(name: str, environ: Mapping[str, str]) -> Secret:
    given = environ.get(name, "").strip()
    if given:
        return Secret(given)
    file = environ.get(f"{name}_FILE", "").strip()
    if not file:
        raise SettingError(f"Set {name}, or {name}_FILE to a file that holds it")
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise SettingError(f"The file that {name}_FILE names cannot be read") from None
    if not text:
        raise SettingError(f"The file that {name}_FILE names is empty")
    return Secret(text)


def bearer_audience(audience: str) -> str:
    if audience not in BEARER_AUDIENCES:
        raise SettingError("The audience of a bearer token must be svc-rest or svc-mcp")
    return audience


def service_origin(address: str) -> str:
    """Returns scheme, host and port of the service's address.

    Raises :class:`SettingError` if the address contains anything else.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    rest = (parts.path.rstrip("/"), parts.query, parts.fragment, parts.username, parts.password)
    if parts.scheme not in ("http", "https") or not parts.hostname or any(rest):
        raise SettingError("The address of the service is scheme, host and port, as in https://lab.example:4723")
    return origin_of(address, port)


def origin_of(address: str, port: int | None = None) -> str:
    """Returns scheme, host and port of an address in a normalised form, so that two addresses can be compared.

    Raises ``ValueError`` if the port is not a number.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port if port is None else port
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{host}" + ("" if port in (None, usual) else f":{port}")
