"""Connects Appium-Python-Client to a lab.

Use it as ``webdriver.Remote(command_executor=AppiumConnection(client), options=…)``.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import urllib3
from appium.webdriver.appium_connection import AppiumConnection as _AppiumConnection
from appium.webdriver.client_config import AppiumClientConfig

from ._secret import Secret, SecretBytes
from ._transport import SENDING_ERRORS, json_of, redirected, unreachable
from .capabilities import carries_credentials, with_options_in_matches
from .client import Client
from .errors import SvcError
from .lease import Lease
from .settings import SettingError, origin_of


class AppiumConnection(_AppiumConnection):
    """Connection that adds a bearer token to every command and the credentials to create-session requests.

    The bearer token is renewed automatically, and is sent only to the lab, because redirects are not followed. A
    command is sent again only if the lab refused it because its bearer token was no longer valid.
    """

    def __init__(
        self,
        client: Client,
        *,
        audience: str | None = None,
        base_path: str | None = None,
        client_config: AppiumClientConfig | None = None,
        lease: Lease | None = None,
        attach_session_credentials: bool = True,
    ) -> None:
        """Creates a connection to the client's lab.

        ``base_path`` is requested from the lab by default; ``client_config`` can set time-outs and proxies. With
        ``lease``, sessions run on the leased phone. With ``attach_session_credentials=False``, create-session requests
        get no credentials. No credentials are added to capabilities that already contain some.
        """
        if client_config is None:
            where = client.url + (client.base_path() if base_path is None else base_path.rstrip("/"))
            client_config = AppiumClientConfig(remote_server_addr=where, ca_certs=client.ca_certs)
        if origin_of(str(client_config.remote_server_addr)) != client.url:
            raise SettingError("The client_config has the address of another server than the client")
        # Set before the call of the base class, because that creates the pool, which reads this attribute.
        self._access = _Access(client, audience, lease, attach_session_credentials)
        super().__init__(client_config=client_config)

    def _get_connection_manager(self) -> Any:
        pool: Any = super()._get_connection_manager()  # type: ignore[no-untyped-call]
        return _GuardedPool(pool, self._access)


class _Access:
    """Adds credentials to requests, and decides whether a refused request is sent again."""

    def __init__(self, client: Client, audience: str | None, lease: Lease | None, attach: bool) -> None:
        self.origin = client.url
        self._client = client
        self._bearer = None if client.pair is None else client.bearer(audience)
        self._fields: dict[str, str] = {}
        if client.pair is not None and attach:
            self._fields["accessKey"], self._fields["token"] = client.pair
        elif client.session_token is not None and attach:
            self._fields["sessionToken"] = client.session_token
        self._lease_fields = {} if lease is None else lease.options()

    def body_of_create(self, body: Any) -> Any:
        """Returns the body of a create-session request with the credentials of the session's owner added.

        The lab removes the credentials before it forwards the request (specification 5.4).
        """
        content = json_of(body.encode() if isinstance(body, str) else body or b"")
        if not isinstance(content, dict) or not isinstance(content.get("capabilities"), dict):
            return body
        wanted = content["capabilities"]
        own = {} if carries_credentials(wanted) else self._fields
        added = {**own, **self._lease_fields}
        if not added:
            return body
        return SecretBytes(json.dumps({**content, "capabilities": with_options_in_matches(wanted, added)}).encode())

    def token(self) -> Secret | None:
        return self._client.access_token if self._bearer is None else self._bearer.token()

    def token_after(self, response: urllib3.BaseHTTPResponse, sent: Secret | None) -> Secret | None:
        """Returns a new token if the lab refused the command because of its token, otherwise ``None``.

        The caller can send the command again with the new token, because a refused command was not executed. A refused
        command and a command of an unknown session get the same response (specification 5.7.4). To distinguish them,
        this method sends the token to another route and checks whether the lab still accepts it.
        """
        if self._bearer is None or sent is None or not _may_be_refusal(response) or self._client.accepts(sent):
            return None
        return self._bearer.renew(sent)


def _may_be_refusal(response: urllib3.BaseHTTPResponse) -> bool:
    if response.status != 404:
        return response.status == 401
    content = json_of(response.data)
    value = content.get("value") if isinstance(content, dict) else None
    return isinstance(value, dict) and value.get("error") == "invalid session id"


def _unauthenticated(response: urllib3.BaseHTTPResponse) -> SvcError:
    content = json_of(response.data)
    value = content.get("value") if isinstance(content, dict) else None
    message = value.get("message") if isinstance(value, dict) else None
    return SvcError(
        message if isinstance(message, str) else "The command was refused for its credential",
        status=response.status,
        code="unauthenticated",
        request_id=response.headers.get("x-request-id"),
    )


class _GuardedPool:
    """Connection pool that adds the credentials to the requests of Selenium.

    Selenium logs each request before this pool adds the credentials, so the log does not show them.
    """

    def __init__(self, pool: Any, access: _Access) -> None:
        self._pool = pool
        self._access = access

    def request(
        self, method: str, url: str, *, body: Any = None, headers: Mapping[str, str] | None = None, **options: Any
    ) -> Any:
        __tracebackhide__ = True
        access = self._access
        is_create = method == "POST" and urlsplit(url).path.endswith("/session")
        if is_create:
            body = access.body_of_create(body)
        plain = _plain_headers(headers or {}, is_create)
        token = access.token()
        response = self._send(method, url, body, plain, token, options)
        another = access.token_after(response, token)
        if another is not None:
            response = self._send(method, url, body, plain, another, options)
        if response.status == 401:
            # Raised here, because Selenium would return the text "Authorization Required" as the command's result.
            raise _unauthenticated(response)
        return response

    def _send(
        self, method: str, url: str, body: Any, plain: dict[str, str], token: Secret | None, options: dict[str, Any]
    ) -> urllib3.BaseHTTPResponse:
        __tracebackhide__ = True
        origin = self._access.origin
        if origin_of(url) != origin:
            raise SettingError("A command can only be sent to the lab of its client")
        headers = plain if token is None else {**plain, "Authorization": Secret(f"Bearer {token}")}
        response: urllib3.BaseHTTPResponse | None = None
        failed: SvcError | None = None
        try:
            response = self._pool.request(
                method, url, body=body, headers=headers, redirect=False, retries=False, **options
            )
        except SENDING_ERRORS as error:
            failed = unreachable(origin, error)
        if response is None:
            # Raised outside the except block, so that the error has no cause. A traceback with locals would show the
            # bytes of the request in the frames of the cause.
            raise failed or AssertionError
        if 300 <= response.status < 400:
            raise redirected(response.status, response.headers.get("location"))
        return response

    def clear(self) -> None:
        self._pool.clear()

    def __enter__(self) -> _GuardedPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()


def _plain_headers(headers: Mapping[str, str], is_create: bool) -> dict[str, str]:
    """Returns Selenium's headers without credentials, and with a new idempotency key if a session is created.

    Appium-Python-Client stores the idempotency key in a class attribute, which all threads share. Two threads that
    create sessions at the same time might therefore send the same key and get the same session.
    """
    ours = {"authorization", "x-idempotency-key", "x-svc-access-key", "x-svc-token"}
    plain = {name: value for name, value in headers.items() if name.lower() not in ours}
    if is_create:
        plain["X-Idempotency-Key"] = str(uuid.uuid4())
        # The request carries credentials, so this header asks Appium not to log it (specification 5.5.2).
        plain["X-Auto-Is-Sensitive"] = "true"
    return plain
