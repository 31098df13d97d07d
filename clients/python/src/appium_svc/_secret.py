"""Secret text that is masked when it is printed."""

from __future__ import annotations

from typing import Any

MASK = "***"

#: Fields of the service's responses that hold a secret.
_SECRET_FIELDS = frozenset({"token", "sessionToken", "leaseToken", "ticket", "temporaryPassword", "link", "secret"})


class Secret(str):
    """A string whose ``repr`` is ``***``, so that a dict of headers in a log or in a traceback with locals hides it.

    ``str()`` and f-strings give the value itself, as a header or a capability needs it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


class SecretBytes(bytes):
    """The body of a request, whose ``repr`` is ``***``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


def hide_secrets(answer: Any) -> Any:
    """Returns the response of the service with its secret fields as :class:`Secret`."""
    if not isinstance(answer, dict):
        return answer
    return {
        name: Secret(value) if name in _SECRET_FIELDS and isinstance(value, str) else value
        for name, value in answer.items()
    }
