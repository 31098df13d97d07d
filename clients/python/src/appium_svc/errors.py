"""The error class of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SvcError(Exception):
    """Error of a request that was refused or got no response. It never contains what was sent.

    ``status``
        HTTP status, or 0 if there was no response.
    ``code``
        The ``error`` of the response, such as ``device_busy`` or ``invalid credentials``; ``unreachable`` if there was
        no response, ``unexpected_answer`` if the response did not come from the service but, for example, a proxy.
    ``message``
        A sentence for a person.
    ``request_id``
        The ``X-Request-Id`` of the response, by which the operator of the service can find the request.
    ``details``
        Other fields of the response, such as ``scopes``, ``required`` or ``retryAfter``.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "unexpected_answer",
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details: Mapping[str, Any] = dict(details or {})

    def __repr__(self) -> str:
        return f"SvcError(status={self.status}, code={self.code!r})"

    def __str__(self) -> str:
        text = f"{self.message} (status {self.status})" if self.status else self.message
        return f"{text}, request {self.request_id}" if self.request_id else text
