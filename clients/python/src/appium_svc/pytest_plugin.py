"""Fixtures for pytest: ``svc_client``, ``svc_lease`` and ``svc_driver``.

The lab and the key pair come from the environment (``Client.from_env``). Define ``svc_capabilities`` in ``conftest.py``
to choose the phones for your tests, or put the capabilities into ``SVC_CAPABILITIES`` as a JSON object.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from appium.webdriver.webdriver import WebDriver

    from .client import Client
    from .lease import Lease

#: Maximum length of a session name that the service stores (docs/guides). The beginning of a longer test id is cut,
#: because its end says more.
_NAME_LENGTH = 256
_REASON_LENGTH = 2_048

_REPORTS = pytest.StashKey[dict[str, pytest.TestReport]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("svc", "phones of an Appium device lab")
    group.addoption(
        "--svc-reports",
        metavar="FOLDER",
        default=os.environ.get("SVC_REPORTS") or None,
        help="save the report of the session of each failed test in this folder (default: SVC_REPORTS)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "svc_lease(udid, platform, tags, minutes): the phone that svc_lease reserves for this test; svc_driver uses it",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report: pytest.TestReport = (yield).get_result()
    item.stash.setdefault(_REPORTS, {})[report.when] = report


@pytest.fixture(scope="session")
def svc_client() -> Iterator[Client]:
    """Provides a client for the lab and the key pair that the environment names."""
    from .client import Client
    from .settings import SettingError

    try:
        client = Client.from_env()
    except SettingError as error:
        pytest.fail(str(error), pytrace=False)
    with client:
        yield client


@pytest.fixture
def svc_capabilities(svc_client: Client) -> dict[str, Any]:
    """Provides the capabilities of new sessions: the JSON object in ``SVC_CAPABILITIES``, or those for a virtual phone.

    If the variable is not set and the lab has no virtual phone, the test fails. Define a fixture of the same name to
    use other capabilities.
    """
    given = os.environ.get("SVC_CAPABILITIES", "").strip()
    if given:
        return _json_object(given)
    example = svc_client.capabilities()["webDriver"]["example"]
    if example is None:
        pytest.fail("Define a fixture svc_capabilities that returns the capabilities of a session", pytrace=False)
    return example


@pytest.fixture
def svc_lease(request: pytest.FixtureRequest, svc_client: Client) -> Iterator[Lease]:
    """Reserves a phone for this test according to the marker ``svc_lease``, and gives it back afterwards."""
    marker = request.node.get_closest_marker("svc_lease")
    if marker is None:
        pytest.fail('Choose a phone: @pytest.mark.svc_lease(platform="Android")', pytrace=False)
    with svc_client.lease(**marker.kwargs) as lease:
        yield lease


@pytest.fixture
def svc_driver(
    request: pytest.FixtureRequest, svc_client: Client, svc_capabilities: dict[str, Any]
) -> Iterator[WebDriver]:
    """Provides a session that gets the name and the result of the test, and ends it after the test.

    The session runs on the phone of ``svc_lease`` if the test uses that fixture too.
    """
    from appium import webdriver
    from appium.options.common import AppiumOptions

    from .webdriver import AppiumConnection

    leased = "svc_lease" in request.fixturenames or request.node.get_closest_marker("svc_lease") is not None
    lease = request.getfixturevalue("svc_lease") if leased else None
    driver = webdriver.Remote(
        command_executor=AppiumConnection(svc_client, lease=lease),
        options=AppiumOptions().load_capabilities(svc_capabilities),
    )
    try:
        _report(driver, "setSessionName", {"name": request.node.nodeid[-_NAME_LENGTH:]})
        yield driver
    finally:
        status = _status_of(request.node.stash.get(_REPORTS, {}))
        if status is not None:
            _report(driver, "setSessionStatus", status)
        session_id = driver.session_id
        _quit(driver)
        if status is not None and status["status"] == "failed" and session_id is not None:
            _save_report(request, svc_client, session_id)


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        pytest.fail("SVC_CAPABILITIES must be a JSON object", pytrace=False)
    return value


def _status_of(reports: dict[str, pytest.TestReport]) -> dict[str, str] | None:
    """Returns the result of the test, in the form of the ``setSessionStatus`` command.

    Returns ``None`` if the test was skipped or never ran.
    """
    failed = next((report for report in reports.values() if report.failed), None)
    if failed is not None:
        crash = getattr(failed.longrepr, "reprcrash", None)
        reason = str(getattr(crash, "message", "") or "failed").strip()
        return {"status": "failed", "reason": reason[:_REASON_LENGTH]}
    call = reports.get("call")
    return {"status": "passed"} if call is not None and call.passed else None


def _report(driver: WebDriver, command: str, arguments: dict[str, str]) -> None:
    """Sets the name or the result of the session in the lab. Ignores a failure, because it must not fail the test."""
    from selenium.common.exceptions import WebDriverException

    from .errors import SvcError

    try:
        driver.execute_script(f"svc: {command}", arguments)
    except (SvcError, WebDriverException):
        pass


def _quit(driver: WebDriver) -> None:
    """Ends the session. Raises no error if the session has already ended."""
    from selenium.common.exceptions import InvalidSessionIdException

    try:
        driver.quit()
    except InvalidSessionIdException:
        pass


def _save_report(request: pytest.FixtureRequest, client: Client, session_id: str) -> None:
    """Saves the report of the session, and attaches it to the test in JUnit XML and Allure.

    If the report cannot be saved, pytest shows a warning and the test does not fail.
    """
    from .errors import SvcError

    folder = request.config.getoption("--svc-reports")
    if folder is None:
        return
    # A driver can choose any session id, so replace the characters that are not safe in a file name.
    file = Path(folder, f"svc-session-{re.sub('[^A-Za-z0-9._-]', '_', session_id)[:100]}.html")
    try:
        report = client.session_report(session_id)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(report)
    except (OSError, SvcError) as error:
        request.node.warn(pytest.PytestWarning(f"The report of the session could not be saved: {error}"))
        return
    request.node.user_properties.append(("svc_report", str(file)))
    allure = sys.modules.get("allure")
    if allure is not None:
        allure.attach.file(str(file), name="Session", attachment_type=allure.attachment_type.HTML)
