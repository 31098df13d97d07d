"""Leases, which reserve a phone."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol

from ._secret import Secret
from .capabilities import with_options
from .errors import SvcError
from .types import NewLease

_log = logging.getLogger("appium_svc")


class RestApi(Protocol):
    """Part of :class:`Client` that a lease uses."""

    def request(self, method: str, path: str, *, params: Mapping[str, str] | None = None, body: Any = None) -> Any: ...


class Lease:
    """A phone that is reserved until :meth:`end` is called or ``expires_at`` is reached (contract 2, ``/leases``).

    A ``with`` block gives the phone back at its end. The lease is not renewed automatically, and it continues after a
    session on the phone ends.
    """

    def __init__(self, client: RestApi, made: NewLease) -> None:
        self._client = client
        self.lease_id = made["leaseId"]
        self.lease_token = Secret(made["leaseToken"])
        self.udid = made["udid"]
        self.expires_at = made["expiresAt"]

    def __repr__(self) -> str:
        return f"Lease(udid={self.udid!r}, expires_at={self.expires_at!r})"

    def options(self) -> dict[str, str]:
        """Returns the fields of ``svc:options`` with which any client can create a session on the phone."""
        return {"leaseId": self.lease_id, "leaseToken": self.lease_token}

    def capabilities(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a copy of the capabilities with this lease in ``svc:options``."""
        return with_options(wanted, self.options())

    def extend(self, minutes: float) -> str:
        """Changes the end of the lease to ``minutes`` (1 to 480) from now, and returns the new end."""
        changed = self._client.request("PATCH", "/leases/{id}", params={"id": self.lease_id}, body={"minutes": minutes})
        self.expires_at = str(changed["expiresAt"])
        return self.expires_at

    def end(self) -> None:
        """Gives the phone back. Raises no error if the lease has already ended. A session on the phone continues."""
        try:
            self._client.request("DELETE", "/leases/{id}", params={"id": self.lease_id})
        except SvcError as error:
            if error.status != 404:
                raise

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.end()
        except SvcError as refused:
            if error is None:
                raise
            # The failure is only logged, because the error raised inside the with block is more important to the user.
            _log.warning("The lease of %s was not given back: %s", self.udid, refused)
