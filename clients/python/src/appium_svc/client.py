"""Client of the REST API of one lab, for one caller (contract 2)."""

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
    Agent,
    AgentLimits,
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
#: Timeout of an upload in seconds. It is long, because the service reads a file only as fast as its disk writes.
_UPLOAD_S = 600.0

try:
    _USER_AGENT = f"appium-svc-client/{version('appium-svc-client')}"
except PackageNotFoundError:  # The package is not installed, so its version is unknown.
    _USER_AGENT = "appium-svc-client"


class Client:
    """Client of one lab with one key pair, or with the tokens of a CI job. Thread-safe.

    Every failed request raises :class:`SvcError`. Requests are not retried, because an interrupted request may have
    been executed. Redirects are not followed, because they would send the credentials to another server.
    """

    def __init__(
        self,
        url: str,
        *,
        access_key: str | None = None,
        token: str | None = None,
        access_token: str | None = None,
        session_token: str | None = None,
        audience: str = "svc-rest",
        timeout: float = _ANSWER_S,
        ca_certs: str | None = None,
    ) -> None:
        """Creates a client for the lab at ``url``, which consists of scheme, host and port.

        Without a credential, a lab refuses all routes except public ones, unless its sign-in is turned off. Instead of
        a key pair, ``access_token`` and ``session_token`` can be the tokens that ``ci-login`` wrote in a CI job, which
        are not renewed; without ``session_token``, the client creates no sessions. ``audience``
        is the default of :meth:`bearer`, ``timeout`` is in seconds, and ``ca_certs`` is a file of certificates
        (default: ``REQUESTS_CA_BUNDLE``, otherwise the system's). Proxies come from the environment.
        """
        if (access_key is None) != (token is None) or access_key == "" or token == "":
            # The service refuses an incomplete pair (contract 1), so the client does not send one.
            raise SettingError("A key pair needs both an access key and a token")
        if (access_key is not None and access_token is not None) or (session_token and not access_token):
            raise SettingError("A client has either a key pair, or an access token with or without a session token")
        if not all(part is None or _SENDABLE.fullmatch(part) for part in (access_key, token, access_token)):
            raise SettingError("The access key or the token has a character that no header can carry")
        self.url = service_origin(url)
        self.ca_certs = ca_certs or ca_certs_of_environment()
        self.pair = None if access_key is None or token is None else (Secret(access_key), Secret(token))
        self.access_token = Secret(access_token) if access_token else None
        self.session_token = Secret(session_token) if session_token else None
        self._audience = bearer_audience(audience)
        self._timeout = timeout
        self._transport = Transport(self.url, timeout=timeout, ca_certs=self.ca_certs)
        self._lock = threading.Lock()
        self._bearers: dict[str, Bearer] = {}
        self._base_path: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **options: Any) -> Client:
        """Creates a client from ``SVC_URL``, ``SVC_ACCESS_KEY``, ``SVC_TOKEN`` and ``SVC_AUDIENCE``.

        ``SVC_ACCESS_KEY_FILE`` and ``SVC_TOKEN_FILE`` can name files with the key pair instead. Without a key pair,
        the client uses ``SVC_ACCESS_TOKEN`` and ``SVC_SESSION_TOKEN``, which ``ci-login`` writes in a CI job. Raises
        :class:`SettingError` if a variable is missing or invalid.
        """
        settings = read_settings(os.environ if environ is None else environ)
        known: dict[str, Any] = {
            "access_key": settings.access_key,
            "token": settings.token,
            "access_token": settings.access_token,
            "session_token": settings.session_token,
            "audience": settings.audience,
        }
        return cls(settings.url, **{**known, **options})

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # Calls of any route

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        timeout: float | None = None,
    ) -> Any:
        """Calls any route below ``/svc/api``: ``request("DELETE", "/apps/{id}", params={"id": app})``.

        Returns the parsed body of a successful response, or ``None`` if there is none. Fields that hold a secret are
        masked when they are printed. ``timeout``, in seconds, replaces that of the client.
        """
        __tracebackhide__ = True
        headers = dict(self._headers_for(method))
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            # This header asks the automation server not to log the body (specification 5.5).
            headers["X-Auto-Is-Sensitive"] = "true"
            sent = SecretBytes(json.dumps(body).encode())
        return self._send(method, target_of(path, params or {}, query or {}), headers, sent, timeout)

    # The caller, and credentials of the caller

    def me(self) -> Me:
        return cast(Me, self.request("GET", "/auth/me"))

    def capabilities(self) -> ServerCapabilities:
        """Returns the features of the lab and whether they are on."""
        return cast(ServerCapabilities, self.request("GET", "/capabilities"))

    def issue_bearer(
        self,
        audience: Audience | str | None = None,
        scopes: Sequence[str] | None = None,
        limits: AgentLimits | None = None,
    ) -> IssuedBearer:
        """Issues a bearer token, which is not renewed.

        ``scopes`` (specification 5.3) and ``limits`` are allowed only for ``svc-mcp``. ``limits`` limits the
        sessions of the agent that gets the token.
        """
        body: dict[str, Any] = {} if audience is None else {"audience": audience}
        if scopes is not None:
            body["scopes"] = list(scopes)
        if limits is not None:
            body["limits"] = limits
        return cast(IssuedBearer, self.request("POST", "/auth/token", body=body))

    def bearer(self, audience: Audience | str | None = None) -> Bearer:
        """Returns the bearer token for an audience, which is renewed automatically.

        All callers of this method share the token, so that the client requests only one for each audience.
        """
        wanted = bearer_audience(audience or self._audience)

        def issue() -> tuple[str, float]:
            issued = self.issue_bearer(wanted)
            return issued["token"], float(issued["expiresIn"])

        with self._lock:
            return self._bearers.setdefault(wanted, Bearer(issue))

    def accepts(self, bearer: str) -> bool:
        """Returns whether the lab accepts this bearer token.

        Returns true if the lab does not respond, because it has then not refused the token.
        """
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
        """Creates a token for the caller's access key.

        ``expires_at`` is in ISO 8601. If it is absent, the token expires together with the credential of this request.
        If that credential does not expire, neither does the token.
        """
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
        """Returns the phones that the caller is allowed to see."""
        return cast("list[Device]", self.request("GET", "/devices"))

    def lease(
        self,
        *,
        udid: str | None = None,
        platform: str | None = None,
        tags: Sequence[str] | None = None,
        minutes: float = 30,
        queue_seconds: int = 0,
    ) -> Lease:
        """Reserves a phone. ``with client.lease(platform="Android") as lease: …`` gives it back after the block.

        Pass either ``udid``, or any of ``platform`` and ``tags``; ``minutes`` is from 1 to 480. The token needs the
        scope ``devices``. If all matching phones are in use, the call waits for one for ``queue_seconds`` (0 to 60)
        and then raises :class:`SvcError` with the code ``device_busy``.
        """
        wanted: dict[str, Any] = {"udid": udid, "platform": platform, "tags": None if tags is None else list(tags)}
        body = {name: value for name, value in wanted.items() if value is not None}
        body["minutes"] = minutes
        if queue_seconds == 0:
            return Lease(self, self.request("POST", "/leases", body=body))
        body["queueSeconds"] = queue_seconds
        return Lease(self, self.request("POST", "/leases", body=body, timeout=self._timeout + queue_seconds))

    def leases(self) -> list[HeldLease]:
        return cast("list[HeldLease]", self.request("GET", "/leases"))

    def stream_ticket(self, udid: str) -> Ticket:
        """Issues a single-use ticket that opens the preview or the log of one phone (specification 5.8)."""
        return cast(Ticket, self.request("POST", "/control/{udid}/stream/ticket", params={"udid": udid}))

    def events_ticket(self) -> Ticket:
        return cast(Ticket, self.request("POST", "/events/ticket"))

    # Sessions

    def sessions(self, **query: str | int) -> list[Session]:
        """Returns sessions, newest first, filtered by ``limit``, ``before``, ``status``, ``owner``, ``name`` and
        ``search``.
        """
        return cast("list[Session]", self.request("GET", "/sessions", query=query))

    def session(self, session_id: str) -> Session:
        return cast(Session, self.request("GET", "/session/{id}", params={"id": session_id}))

    def session_log(self, session_id: str, **query: str | int) -> list[LogRow]:
        """Returns the commands of a session.

        ``after`` is the ``seq`` of the last known command, and ``limit`` is the maximum number of commands.
        """
        path = "/session/{id}/session_log"
        return cast("list[LogRow]", self.request("GET", path, params={"id": session_id}, query=query))

    def session_report(self, session_id: str) -> bytes:
        """Returns the report of a session: one HTML file that needs no network (contract 11)."""
        target = target_of("/session/{id}/report", {"id": session_id}, {})
        answer = self._transport.send("GET", target, headers=self._headers_for("GET"))
        if answer.status != 200:
            raise refusal(answer)
        return answer.data

    def agents(self) -> list[Agent]:
        """Returns the agents whose tokens belong to this account.

        A Super admin, or a credential with the scope ``admin``, gets the agents of all accounts.
        """
        return cast("list[Agent]", self.request("GET", "/agents"))

    def stop_agent(self, agent_id: str) -> None:
        """Stops an agent (a client with an ``svc-mcp`` token): the lab refuses its tokens and ends its sessions."""
        self.request("DELETE", "/agents/{id}", params={"id": agent_id})

    def end_session(self, session_id: str) -> None:
        self.request("DELETE", "/session/{id}", params={"id": session_id})

    # Apps

    def apps(self) -> list[LibraryApp]:
        return cast("list[LibraryApp]", self.request("GET", "/apps"))

    def upload_app(self, file: str | os.PathLike[str], name: str | None = None) -> LibraryApp:
        """Adds an app to the library. The token needs the scope ``admin``.

        A session refers to the app by the capability ``appium:app: "svc:app/<id>"``.
        """
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
        """Returns the base path of the lab's WebDriver routes. Requests it on the first call only."""
        if self._base_path is None:
            self._base_path = self.capabilities()["webDriver"]["basePath"].rstrip("/")
        return self._base_path

    # Connections

    def close(self) -> None:
        """Closes idle connections. The client remains usable, because a later call opens new connections."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _headers_for(self, method: str) -> dict[str, str]:
        headers = {"User-Agent": _USER_AGENT}
        if self.pair is not None:
            headers["x-svc-access-key"], headers["x-svc-token"] = self.pair
        elif self.access_token is not None:
            headers["Authorization"] = Secret(f"Bearer {self.access_token}")
        if method.upper() not in ("GET", "HEAD"):
            # The lab checks the Origin of requests that change something (specification 5.6).
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
        content = json_of(answer.data)
        if content is None:
            request_id = answer.headers.get("x-request-id")
            raise SvcError("Not an answer of the service", status=answer.status, request_id=request_id)
        return hide_secrets(content)
