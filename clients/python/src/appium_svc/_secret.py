"""Text and bytes that are secret and therefore masked when they are printed."""

from __future__ import annotations

from typing import Any

MASK = "***"

#: Names of the fields in the service's responses that hold a secret.
_SECRET_FIELDS = frozenset({"token", "sessionToken", "leaseToken", "ticket", "temporaryPassword", "link", "secret"})


class Secret(str):
    """A string whose ``repr`` is ``***``, so that logs and tracebacks that print a dict of headers do not show it.

    ``str()`` and f-strings return the value itself, because a header or a capability needs it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


class SecretBytes(bytes):
    """Body of a request that contains a secret. Its ``repr`` is ``***``, so that tracebacks do not show the secret."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


def hide_secrets(answer: Any) -> Any:
    """Returns the service's response with every secret field converted to a :class:`Secret`."""
    if not isinstance(answer, dict):
        return answer
    return {
        name: Secret(value) if name in _SECRET_FIELDS and isinstance(value, str) else value
        for name, value in answer.items()
    }
