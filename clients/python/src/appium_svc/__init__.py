"""Client for svc, access control for Appium device labs.

``Client.from_env()`` calls the REST API. ``AppiumConnection(client)`` connects Appium-Python-Client, which the extra
``appium`` installs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._secret import Secret
    from .bearer import Bearer
    from .capabilities import with_options
    from .client import Client
    from .errors import SvcError
    from .lease import Lease
    from .settings import SettingError
    from .webdriver import AppiumConnection

__all__ = [
    "AppiumConnection",
    "Bearer",
    "Client",
    "Lease",
    "Secret",
    "SettingError",
    "SvcError",
    "with_options",
]

#: Modules of the names that are imported only on first use. pytest imports this package in every project where it is
#: installed, so Appium-Python-Client, which only AppiumConnection needs, must not be imported then.
_MODULES = {
    "AppiumConnection": "webdriver",
    "Bearer": "bearer",
    "Client": "client",
    "Lease": "lease",
    "Secret": "_secret",
    "SettingError": "settings",
    "SvcError": "errors",
    "with_options": "capabilities",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value
