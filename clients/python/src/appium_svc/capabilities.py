"""Fields that a create-session request carries in ``svc:options`` (specification 5.4, contract 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "svc:options"
#: Namespaces in which the service looks for credentials. A credential in any of them counts.
_READ = (NAMESPACE, "lab:options")
_CREDENTIALS = ("accessKey", "token", "sessionToken")


def with_options(capabilities: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Returns a copy of the capabilities with the fields added to ``svc:options``.

    The capabilities may be a plain dict or have the W3C form (``alwaysMatch``, ``firstMatch``).
    """
    if "alwaysMatch" not in capabilities and "firstMatch" not in capabilities:
        return _with_fields(capabilities, fields)
    return with_options_in_matches(capabilities, fields)


def with_options_in_matches(capabilities: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Returns a copy of W3C capabilities with the fields added to ``svc:options``.

    The fields are added to ``alwaysMatch``. If only ``firstMatch`` entries contain ``svc:options``, the fields are
    added to every entry instead, because Appium refuses a capability that is in both ``alwaysMatch`` and
    ``firstMatch``.
    """
    always, entries = _parts_of(capabilities)
    in_always = NAMESPACE in always or not any(NAMESPACE in entry for entry in entries)
    changed = dict(capabilities)
    if in_always:
        changed["alwaysMatch"] = _with_fields(always, fields)
    if "firstMatch" in capabilities:
        changed["firstMatch"] = [
            _with_fields(entry, fields) if NAMESPACE in entry or not in_always else entry for entry in entries
        ]
    return changed


def carries_credentials(capabilities: Mapping[str, Any]) -> bool:
    """Returns whether capabilities of the W3C form already have credentials."""
    always, entries = _parts_of(capabilities)
    given = [part.get(namespace) for part in (always, *entries) for namespace in _READ]
    return any(isinstance(options, Mapping) and options.get(name) for options in given for name in _CREDENTIALS)


def _parts_of(capabilities: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    always, entries = capabilities.get("alwaysMatch"), capabilities.get("firstMatch")
    return (
        always if isinstance(always, Mapping) else {},
        [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else [],
    )


def _with_fields(capabilities: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    given = capabilities.get(NAMESPACE)
    return {**capabilities, NAMESPACE: {**(given if isinstance(given, Mapping) else {}), **fields}}
