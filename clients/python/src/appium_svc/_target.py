"""Builds the target of a request to the API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

API_PREFIX = "/svc/api"
_PARAM = re.compile(r"{(\w+)}")
_PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._~%@:+-]+)+")


def target_of(path: str, params: Mapping[str, str], query: Mapping[str, Any]) -> str:
    """Returns path and query of a request, with each ``{name}`` replaced by its escaped value.

    The values are escaped, so that a slash in a value cannot add a path segment.
    """

    def value_of(found: re.Match[str]) -> str:
        value = params.get(found[1])
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise ValueError(f"{found[1]} is not usable in a path")
        return quote(value, safe="")

    target = _PARAM.sub(value_of, path)
    if not _PLAIN_PATH.fullmatch(target) or any(part in (".", "..") for part in target.split("/")):
        raise ValueError("The path is one below /svc/api, as in /session/{id}; a query goes into query=")
    given = {name: value for name, value in query.items() if value is not None}
    return f"{API_PREFIX}{target}" + (f"?{urlencode(given, doseq=True)}" if given else "")
