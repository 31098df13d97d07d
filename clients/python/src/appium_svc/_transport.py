"""Sends one HTTP request, through the proxies of the environment, without redirects and without retries."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from .errors import SvcError
from .settings import origin_of

#: Exceptions that sending a request can raise. ``ValueError`` is raised for a header that cannot be sent.
SENDING_ERRORS = (HTTPError, OSError, ValueError)


class Transport:
    """Sends HTTP requests to one server. Thread-safe."""

    def __init__(self, origin: str, *, timeout: float, ca_certs: str | None) -> None:
        self.origin = origin
        self._timeout = timeout
        self._pool = _pool_for(origin, ca_certs)

    def send(
        self,
        method: str,
        target: str,
        *,
        headers: Mapping[str, str],
        body: Any = None,
        timeout: float | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """Sends a request and returns the response, whatever its status. Redirects are not followed.

        Raises :class:`SvcError` if there is no response.
        """
        __tracebackhide__ = True
        answer = failed = None
        try:
            answer = self._pool.request(
                method,
                f"{self.origin}{target}",
                body=body,
                headers=headers,
                # A redirect would send the credentials to another server. A retry could execute a request twice,
                # because an interrupted request may have been executed.
                redirect=False,
                retries=False,
                timeout=timeout or self._timeout,
            )
        except SENDING_ERRORS as error:
            failed = unreachable(self.origin, error)
        if answer is None:
            # Raised outside the except block, so that the error has no cause. A traceback with locals would show the
            # bytes of the request in the frames of the cause.
            raise failed or AssertionError
        return answer

    def close(self) -> None:
        self._pool.clear()


def _pool_for(origin: str, ca_certs: str | None) -> urllib3.PoolManager:
    options: dict[str, Any] = {} if ca_certs is None else {"cert_reqs": "CERT_REQUIRED", "ca_certs": ca_certs}
    proxy = _proxy_for(origin)
    if proxy is None:
        return urllib3.PoolManager(**options)
    if proxy.lower().startswith("socks"):
        from urllib3.contrib.socks import SOCKSProxyManager

        return SOCKSProxyManager(proxy, **options)
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.username is not None:
        account = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        options["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=account)
    return urllib3.ProxyManager(origin_of(parts.geturl()), **options)


def _proxy_for(origin: str) -> str | None:
    parts = urlsplit(origin)
    if urllib.request.proxy_bypass(parts.netloc):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def ca_certs_of_environment() -> str | None:
    """Returns the path of the certificate file in ``REQUESTS_CA_BUNDLE``, a variable that Selenium reads too.

    Returns ``None`` if the variable is not set; the system's certificates are then used.
    """
    return os.environ.get("REQUESTS_CA_BUNDLE") or None


def unreachable(origin: str, error: BaseException) -> SvcError:
    return SvcError(f"{origin} did not answer: {_reason_of(error)}", code="unreachable")


def _reason_of(error: BaseException) -> str:
    """Returns the first operating system message in the error and its causes, otherwise the class name of the error.

    Messages of HTTP libraries are never returned, because they may repeat what was sent or received.
    """
    cause: object = error
    while isinstance(cause, BaseException):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = getattr(cause, "reason", None) or cause.__cause__ or cause.__context__
    return type(error).__name__


def redirected(status: int, location: str | None) -> SvcError:
    """Returns the error for a redirect, which is never followed.

    The error names only the origin of the other server, because the rest of the address may hold a secret.
    """
    try:
        named = origin_of(location or "")
    except ValueError:
        named = ""
    where = f" to {named}" if named.startswith("http") else ""
    return SvcError(f"A redirect{where} was not followed: SVC_URL is the lab's own address", status=status)


def refusal(answer: urllib3.BaseHTTPResponse) -> SvcError:
    """Converts an error response of the API to a :class:`SvcError` (contract 1)."""
    body = json_of(answer.data)
    request_id = answer.headers.get("x-request-id")
    if 300 <= answer.status < 400:
        return redirected(answer.status, answer.headers.get("location"))
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return SvcError("Not an answer of the service", status=answer.status, request_id=request_id)
    code = body.pop("error")
    message = body.pop("message", None)
    return SvcError(
        f"{code}: {message}" if isinstance(message, str) else code,
        status=answer.status,
        code=code,
        request_id=request_id,
        details=body,
    )


def json_of(data: bytes) -> Any:
    """Parses JSON. Returns ``None`` if the data is not JSON."""
    try:
        return json.loads(data)
    except ValueError:
        return None
