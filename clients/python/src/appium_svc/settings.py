"""Address of the lab and credentials from the environment. The names are those of ``svc proxy``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ._secret import Secret

BEARER_AUDIENCES = ("svc-rest", "svc-mcp")


class SettingError(ValueError):
    """Error for a missing or invalid setting that a person has to correct. It never contains the given value."""


@dataclass(frozen=True)
class Settings:
    url: str
    access_key: Secret
    token: Secret
    audience: str


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Reads ``SVC_URL``, ``SVC_ACCESS_KEY``, ``SVC_TOKEN`` and ``SVC_AUDIENCE``.

    The audience is ``svc-rest`` (the default) or ``svc-mcp``. ``SVC_ACCESS_KEY_FILE`` and ``SVC_TOKEN_FILE`` can name
    files that hold the access key and the token.
    """
    address = environ.get("SVC_URL", "").strip()
    if not address:
        raise SettingError("Set SVC_URL to the address of the lab, as in https://lab.example:4723")
    audience = environ.get("SVC_AUDIENCE", "").strip() or BEARER_AUDIENCES[0]
    return Settings(
        url=service_origin(address),
        access_key=_secret("SVC_ACCESS_KEY", environ),
        token=_secret("SVC_TOKEN", environ),
        audience=bearer_audience(audience),
    )


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
