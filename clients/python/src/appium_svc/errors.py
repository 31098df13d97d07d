"""The one error of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SvcError(Exception):
    """A request that was refused or not answered. Its texts never hold what was sent.

    ``status``
        HTTP status; 0 when there was no answer.
    ``code``
        The ``error`` of the answer, such as ``device_busy`` or ``invalid credentials``; ``unreachable`` when there
        was no answer, ``unexpected_answer`` when the answer was not one of the service, as from a proxy.
    ``message``
        A sentence for a person.
    ``request_id``
        The ``X-Request-Id`` of the answer, to give to the operator of the service.
    ``details``
        Other fields of the answer, such as ``scopes``, ``required`` or ``retryAfter``.
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
        told = f"{self.message} (status {self.status})" if self.status else self.message
        return f"{told}, request {self.request_id}" if self.request_id else told
