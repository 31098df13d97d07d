"""Text that proves something, kept out of what people print."""

from __future__ import annotations

from typing import Any

MASK = "***"

#: Fields of the service's answers that hold a secret.
_SECRET_FIELDS = frozenset({"token", "sessionToken", "leaseToken", "ticket", "temporaryPassword", "link", "secret"})


class Secret(str):
    """A string whose ``repr`` hides it: a dict of headers in a log or a traceback with locals shows ``***``.

    ``str()`` and f-strings give the value itself, as a header or a capability needs it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


class SecretBytes(bytes):
    """The same for a request's body."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


def hide_secrets(answer: Any) -> Any:
    """The answer of the service, with its secret fields as :class:`Secret`."""
    if not isinstance(answer, dict):
        return answer
    return {
        name: Secret(value) if name in _SECRET_FIELDS and isinstance(value, str) else value
        for name, value in answer.items()
    }
