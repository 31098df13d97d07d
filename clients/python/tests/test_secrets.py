"""Tests that nothing that people print, log or attach to a bug report contains a secret."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import pytest
from appium import webdriver
from appium.options.common import AppiumOptions
from lab_double import TOKEN, Answer, Asked, LabDouble, Reset

from appium_svc import AppiumConnection, Client, Secret

LEASE_TOKEN = "svcl_secretOfALease"


def test_a_secret_hides_in_its_repr_and_is_itself_in_a_header() -> None:
    secret = Secret("svct_x")
    assert (repr(secret), str({"token": secret}), f"Bearer {secret}") == ("'***'", "{'token': '***'}", "Bearer svct_x")


def test_nothing_of_this_package_prints_one(lab: LabDouble, client: Client) -> None:
    made = {"leaseId": "l1", "leaseToken": LEASE_TOKEN, "udid": "a", "expiresAt": "2030-01-01T00:00:00.000Z"}
    lab.on("POST", "/svc/api/leases", Answer(201, made))
    lease = client.lease(udid="a")
    printed = repr(
        [client, vars(client), lease, vars(lease), lease.capabilities({}), client.bearer(), client.issue_bearer()]
    )
    client.bearer().token()
    printed += repr(vars(client.bearer()))
    for secret in (TOKEN, LEASE_TOKEN, "bearer-1", "bearer-2"):
        assert secret not in printed


def test_no_log_has_one_at_any_level(lab: LabDouble, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        driver = webdriver.Remote(command_executor=AppiumConnection(client), options=AppiumOptions())
        lab.ended.add("bearer-1")
        assert driver.page_source == "<page/>"
        driver.quit()
    assert "/wd/session" in caplog.text
    for secret in (TOKEN, "bearer-1", "bearer-2"):
        assert secret not in caplog.text


def broken(asked: Asked) -> Answer:
    raise Reset


@pytest.mark.parametrize(
    "act", [Answer(403, {"error": "insufficient_scope"}), Answer(302, None, {"Location": "/"}), broken]
)
@pytest.mark.parametrize("target", ["/svc/api/leases", "/svc/api/auth/token", "/wd/session"])
def test_no_traceback_has_one_with_all_its_locals(lab: LabDouble, client: Client, act: Any, target: str) -> None:
    """Renders tracebacks with locals, like `pytest --showlocals` and services that collect errors."""
    lab.on("POST", target, act)
    printed = ""
    try:
        client.lease(udid="a")
    except Exception as error:  # noqa: BLE001
        printed += traceback_of(error)
    try:
        webdriver.Remote(command_executor=AppiumConnection(client), options=AppiumOptions())
    except Exception as error:  # noqa: BLE001
        printed += traceback_of(error)
    assert "Traceback" in printed
    for secret in (TOKEN, "bearer-1"):
        assert secret not in printed


def traceback_of(error: Exception) -> str:
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "".join(trace.format()) + repr(error) + repr(vars(error))
