from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from lab_double import ACCESS_KEY, TOKEN, LabDouble

from appium_svc import Client


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the machine's settings for svc, proxies and certificates, so that they do not affect the tests."""
    for name in list(os.environ):
        if not name.startswith("SVC_") and not name.lower().endswith("_proxy") and name != "REQUESTS_CA_BUNDLE":
            continue
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def lab() -> Iterator[LabDouble]:
    double = LabDouble()
    yield double
    double.close()


@pytest.fixture
def client(lab: LabDouble) -> Iterator[Client]:
    with Client(lab.url, access_key=ACCESS_KEY, token=TOKEN) as made:
        yield made
