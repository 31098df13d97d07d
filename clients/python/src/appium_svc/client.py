"""The REST API of one lab, as one caller (contract 2)."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from ._secret import Secret, SecretBytes, hide_secrets
from ._target import API_PREFIX, target_of
from ._transport import Transport, ca_certs_of_environment, json_of, refusal
from ._upload import Upload
from .bearer import Bearer
from .errors import SvcError
from .lease import Lease
from .settings import SettingError, bearer_audience, read_settings, service_origin
from .types import (
    ApiToken,
    Audience,
    Device,
    HeldLease,
    IssuedBearer,
    LibraryApp,
    LogRow,
    Me,
    NewToken,
    ServerCapabilities,
    Session,
    Ticket,
)

_SENDABLE = re.compile(r"[!-~]+")
_ANSWER_S = 30.0
#: An upload is read by the service as fast as its disk writes.
_UPLOAD_S = 600.0

try:
    _USER_AGENT = f"appium-svc-client/{version('appium-svc-client')}"
except PackageNotFoundError:  # Run from a folder that is not installed.
    _USER_AGENT = "appium-svc-client"


class Client:
    """One lab and one key pair. Thread-safe; every failure is a :class:`SvcError`.

    Nothing is sent twice, and no redirect is followed: a request that broke off may have been done.
    """

    def __init__(
        self,
        url: str,
        *,
        access_key: str | None = None,
        token: str | None = None,
        audience: str = "svc-rest",
        timeout: float = _ANSWER_S,
        ca_certs: str | None = None,
    ) -> None:
        """``url`` is scheme, host and port. Without a key pair only public routes answer, and a lab without sign-in.

        ``audience`` is that of :meth:`bearer`, ``timeout`` seconds, ``ca_certs`` a file of certificates (default:
        ``REQUESTS_CA_BUNDLE``, else the system's). Proxies are those of the environment.
        """
        if (access_key is None) != (token is None) or access_key == "" or token == "":
            # Half a pair is a failing pair (contract 1), so it is not sent.
            raise SettingError("A key pair is an access key and a token")
        if not all(part is None or _SENDABLE.fullmatch(part) for part in (access_key, token)):
            raise SettingError("The access key or the token has a character that no header can carry")
        self.url = service_origin(url)
        self.ca_certs = ca_certs or ca_certs_of_environment()
        self.pair = None if access_key is None or token is None else (Secret(access_key), Secret(token))
        self._audience = bearer_audience(audience)
        self._transport = Transport(self.url, timeout=timeout, ca_certs=self.ca_certs)
        self._lock = threading.Lock()
        self._bearers: dict[str, Bearer] = {}
        self._base_path: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **options: Any) -> Client:
        """``SVC_URL``, ``SVC_ACCESS_KEY`` and ``SVC_TOKEN``, or ``…_FILE`` of the last two; ``SVC_AUDIENCE``.

        Raises :class:`SettingError`, which names what is missing.
        """
        settings = read_settings(os.environ if environ is None else environ)
        known: dict[str, Any] = {
            "access_key": settings.access_key,
            "token": settings.token,
            "audience": settings.audience,
        }
        return cls(settings.url, **{**known, **options})

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # Any route

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Any:
        """Calls any route below ``/svc/api``: ``request("DELETE", "/apps/{id}", params={"id": app})``.

        Answers what the body of the success holds, ``None`` when it has none. Fields that hold a secret print as
        ``***``.
        """
        __tracebackhide__ = True
        headers = dict(self._headers_for(method))
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            # A log of the automation server leaves the body out (specification 5.5).
            headers["X-Auto-Is-Sensitive"] = "true"
            sent = SecretBytes(json.dumps(body).encode())
        return self._send(method, target_of(path, params or {}, query or {}), headers, sent)

    # The caller

    def me(self) -> Me:
        return cast(Me, self.request("GET", "/auth/me"))

    def capabilities(self) -> ServerCapabilities:
        """What the lab has and has switched on."""
        return cast(ServerCapabilities, self.request("GET", "/capabilities"))

    def issue_bearer(self, audience: Audience | str | None = None, scopes: Sequence[str] | None = None) -> IssuedBearer:
        """One bearer token, which is not renewed; ``scopes`` are for ``svc-mcp`` (specification 5.3)."""
        body: dict[str, Any] = {} if audience is None else {"audience": audience}
        if scopes is not None:
            body["scopes"] = list(scopes)
        return cast(IssuedBearer, self.request("POST", "/auth/token", body=body))

    def bearer(self, audience: Audience | str | None = None) -> Bearer:
        """The bearer token of this client for an audience, which renews itself; all that ask share it."""
        wanted = bearer_audience(audience or self._audience)

        def issue() -> tuple[str, float]:
            issued = self.issue_bearer(wanted)
            return issued["token"], float(issued["expiresIn"])

        with self._lock:
            return self._bearers.setdefault(wanted, Bearer(issue))

    def accepts(self, bearer: str) -> bool:
        """Whether the lab takes this bearer token; true also when it did not say."""
        __tracebackhide__ = True
        headers = {"User-Agent": _USER_AGENT, "Authorization": Secret(f"Bearer {bearer}")}
        try:
            return self._transport.send("GET", f"{API_PREFIX}/auth/me", headers=headers).status != 401
        except SvcError:
            return True

    def tokens(self) -> list[ApiToken]:
        return cast("list[ApiToken]", self.request("GET", "/profile/tokens"))

    def create_token(
        self, name: str, *, scopes: Sequence[str] | None = None, expires_at: str | None = None
    ) -> NewToken:
        """``expires_at`` in ISO 8601; without one it is that of the credential used, or never."""
        body: dict[str, Any] = {"name": name}
        if scopes is not None:
            body["scopes"] = list(scopes)
        if expires_at is not None:
            body["expiresAt"] = expires_at
        return cast(NewToken, self.request("POST", "/profile/tokens", body=body))

    def revoke_token(self, token_id: str) -> None:
        self.request("DELETE", "/profile/tokens/{id}", params={"id": token_id})

    # Phones

    def devices(self) -> list[Device]:
        """The phones the caller may see."""
        return cast("list[Device]", self.request("GET", "/devices"))

    def lease(
        self,
        *,
        udid: str | None = None,
        platform: str | None = None,
        tags: Sequence[str] | None = None,
        minutes: float = 30,
    ) -> Lease:
        """Keeps a phone: ``with client.lease(platform="Android") as lease: …`` gives it back.

        ``udid``, or any of ``platform`` and ``tags``; ``minutes`` 1 to 480. The token needs the scope ``devices``. An
        error with the code ``device_busy`` means: try later.
        """
        wanted: dict[str, Any] = {"udid": udid, "platform": platform, "tags": None if tags is None else list(tags)}
        body = {name: value for name, value in wanted.items() if value is not None}
        return Lease(self, self.request("POST", "/leases", body={**body, "minutes": minutes}))

    def leases(self) -> list[HeldLease]:
        return cast("list[HeldLease]", self.request("GET", "/leases"))

    def stream_ticket(self, udid: str) -> Ticket:
        """For a preview or the log of one phone, once (specification 5.8)."""
        return cast(Ticket, self.request("POST", "/control/{udid}/stream/ticket", params={"udid": udid}))

    def events_ticket(self) -> Ticket:
        return cast(Ticket, self.request("POST", "/events/ticket"))

    # Sessions

    def sessions(self, **query: str | int) -> list[Session]:
        """Newest first; ``limit``, ``before``, ``status``, ``owner``, ``name`` and ``search`` narrow it."""
        return cast("list[Session]", self.request("GET", "/sessions", query=query))

    def session(self, session_id: str) -> Session:
        return cast(Session, self.request("GET", "/session/{id}", params={"id": session_id}))

    def session_log(self, session_id: str, **query: str | int) -> list[LogRow]:
        """Its commands; ``after`` is a ``seq``, and ``limit`` a number of rows."""
        path = "/session/{id}/session_log"
        return cast("list[LogRow]", self.request("GET", path, params={"id": session_id}, query=query))

    def end_session(self, session_id: str) -> None:
        self.request("DELETE", "/session/{id}", params={"id": session_id})

    # Apps

    def apps(self) -> list[LibraryApp]:
        return cast("list[LibraryApp]", self.request("GET", "/apps"))

    def upload_app(self, file: str | os.PathLike[str], name: str | None = None) -> LibraryApp:
        """Adds a file to the library; a session names it as ``appium:app: "svc:app/<id>"``. Needs ``admin``."""
        __tracebackhide__ = True
        path = Path(file)
        with path.open("rb") as opened:
            upload = Upload(opened, name or path.name)
            headers = {**self._headers_for("POST"), **upload.headers}
            target = target_of("/apps", {}, {})
            return cast(LibraryApp, self._send("POST", target, headers, upload, timeout=_UPLOAD_S))

    def delete_app(self, app_id: str) -> None:
        self.request("DELETE", "/apps/{id}", params={"id": app_id})

    # WebDriver

    def base_path(self) -> str:
        """Where WebDriver routes begin at this lab; asked once."""
        if self._base_path is None:
            self._base_path = self.capabilities()["webDriver"]["basePath"].rstrip("/")
        return self._base_path

    # Its own

    def close(self) -> None:
        """Closes idle connections; a later call opens new ones."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _headers_for(self, method: str) -> dict[str, str]:
        headers = {"User-Agent": _USER_AGENT}
        if self.pair is not None:
            headers["x-svc-access-key"], headers["x-svc-token"] = self.pair
        if method.upper() not in ("GET", "HEAD"):
            # What a page of the lab would send (specification 5.6).
            headers["Origin"] = self.url
        return headers

    def _send(
        self, method: str, target: str, headers: Mapping[str, str], body: Any, timeout: float | None = None
    ) -> Any:
        __tracebackhide__ = True
        answer = self._transport.send(method, target, headers=headers, body=body, timeout=timeout)
        if not 200 <= answer.status < 300:
            raise refusal(answer)
        if not answer.data:
            return None
        told = json_of(answer.data)
        if told is None:
            request_id = answer.headers.get("x-request-id")
            raise SvcError("Not an answer of the service", status=answer.status, request_id=request_id)
        return hide_secrets(told)
