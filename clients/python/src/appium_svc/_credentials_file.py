"""The file in which ``svc login`` stores credentials, with one entry per address of a lab.

The file is ``svc/credentials.json`` in the folder that ``XDG_CONFIG_HOME`` names, otherwise in ``~/.config``.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ._secret import Secret

_LARGEST = 1024 * 1024
_SENDABLE = re.compile(r"[!-~]+")


class UnusableFile(ValueError):
    """Error for a credentials file that cannot be used. The message never contains content of the file."""


@dataclass(frozen=True)
class StoredPair:
    access_key: Secret
    token: Secret


def credentials_path(environ: Mapping[str, str]) -> Path | None:
    """Returns the path of the file, or ``None`` if the environment names no home folder."""
    config = environ.get("XDG_CONFIG_HOME", "")
    # Ignore a relative path, because the XDG Base Directory Specification calls it invalid.
    if config and Path(config).is_absolute():
        return Path(config) / "svc" / "credentials.json"
    home = environ.get("HOME", "") or environ.get("USERPROFILE", "")
    return Path(home) / ".config" / "svc" / "credentials.json" if home else None


def stored_pairs(environ: Mapping[str, str]) -> dict[str, StoredPair]:
    """Returns the stored key pairs by the address of their lab. The dict is empty if there is no file.

    Raises :class:`UnusableFile` if the file is not valid, or if other users of the machine can read it.
    """
    path = credentials_path(environ)
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            text = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError:
        raise UnusableFile(f"{path} cannot be read") from None
    if len(text) > _LARGEST:
        raise UnusableFile(f"{path} is larger than a credentials file")
    try:
        entries = json.loads(text)
        if not isinstance(entries, dict):
            raise TypeError
        return {address: _pair(entry) for address, entry in entries.items()}
    except (TypeError, ValueError, RecursionError):
        raise UnusableFile(f"{path} is not valid. Delete it and run svc login again") from None


def _check_private(path: Path, status: os.stat_result) -> None:
    if os.name == "posix" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UnusableFile(f"Other users can read {path}. Run: chmod 600 {path}")


def _pair(entry: object) -> StoredPair:
    if not isinstance(entry, dict):
        raise TypeError
    access_key, token = entry.get("accessKey"), entry.get("token")
    if not all(isinstance(part, str) and _SENDABLE.fullmatch(part) for part in (access_key, token)):
        raise ValueError
    return StoredPair(Secret(access_key), Secret(token))
