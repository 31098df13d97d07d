"""A phone that is kept."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._secret import Secret
from .capabilities import with_options
from .errors import SvcError
from .types import NewLease

if TYPE_CHECKING:
    from .client import Client

_log = logging.getLogger("appium_svc")


class Lease:
    """A phone kept until :meth:`end` or ``expires_at`` (contract 2, ``/leases``); a ``with`` block gives it back.

    It is not renewed by itself, and does not end with a session.
    """

    def __init__(self, client: Client, made: NewLease) -> None:
        self._client = client
        self.lease_id = made["leaseId"]
        self.lease_token = Secret(made["leaseToken"])
        self.udid = made["udid"]
        self.expires_at = made["expiresAt"]

    def __repr__(self) -> str:
        return f"Lease(udid={self.udid!r}, expires_at={self.expires_at!r})"

    def options(self) -> dict[str, str]:
        """The fields of ``svc:options`` whose create gets the phone, whoever makes it."""
        return {"leaseId": self.lease_id, "leaseToken": self.lease_token}

    def capabilities(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The capabilities with this lease in ``svc:options``, as a copy."""
        return with_options(wanted, self.options())

    def extend(self, minutes: float) -> str:
        """So many minutes from now, 1 to 480; answers the new end."""
        changed = self._client.request("PATCH", "/leases/{id}", params={"id": self.lease_id}, body={"minutes": minutes})
        self.expires_at = str(changed["expiresAt"])
        return self.expires_at

    def end(self) -> None:
        """Gives the phone back; no error when the lease is over. A session on it goes on."""
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
            # What went wrong inside is what the person has to see.
            _log.warning("The lease of %s was not given back: %s", self.udid, refused)
