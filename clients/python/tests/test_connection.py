"""Tests of Appium-Python-Client with AppiumConnection."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from appium import webdriver
from appium.options.common import AppiumOptions
from appium.webdriver.client_config import AppiumClientConfig
from appium.webdriver.webdriver import WebDriver
from lab_double import ACCESS_KEY, TOKEN, Answer, Asked, LabDouble, Reset
from selenium.common.exceptions import InvalidSessionIdException

from appium_svc import AppiumConnection, Client, Lease, SettingError, SvcError
from appium_svc.webdriver import _plain_headers

PAIR = {"accessKey": ACCESS_KEY, "token": TOKEN}
MADE: Any = {"leaseId": "l1", "leaseToken": "svcl_x", "udid": "phone-1", "expiresAt": "2030-01-01T00:00:00.000Z"}


def start(client: Client, wanted: dict[str, Any] | None = None, **options: Any) -> WebDriver:
    capabilities = AppiumOptions().load_capabilities({"platformName": "Fake", **(wanted or {})})
    return webdriver.Remote(command_executor=AppiumConnection(client, **options), options=capabilities)


def creates(lab: LabDouble) -> list[Asked]:
    return lab.asked_for("/wd/session")


def test_a_create_carries_the_pair_and_every_command_the_bearer_token(lab: LabDouble, client: Client) -> None:
    """(specification 5.4.1, 5.5.2, 5.7.2) below the base path of the lab"""
    driver = start(client)
    assert driver.page_source == "<page/>"
    driver.quit()
    (create,) = creates(lab)
    assert create.json["capabilities"]["alwaysMatch"]["svc:options"] == PAIR
    assert create.headers["x-auto-is-sensitive"] == "true"
    commands = [asked for asked in lab.asked if asked.target.startswith("/wd/")]
    assert len(commands) == 3
    for asked in commands:
        assert asked.headers["authorization"] == "Bearer bearer-1"
        assert "x-svc-token" not in asked.headers
    assert "x-auto-is-sensitive" not in commands[1].headers


def test_a_ci_job_uses_its_own_tokens(lab: LabDouble) -> None:
    """(contract 10.3) no token is requested, and the session is created with the session token"""
    with Client(lab.url, access_token="job", session_token="create") as client:
        start(client).quit()
    (create,) = creates(lab)
    assert create.json["capabilities"]["alwaysMatch"]["svc:options"] == {"sessionToken": "create"}
    assert {asked.headers["authorization"] for asked in lab.asked} == {"Bearer job"}
    assert not lab.asked_for("/svc/api/auth/token")


def test_credentials_of_the_capabilities_stay(lab: LabDouble, client: Client) -> None:
    own = {"sessionToken": "of-someone-else"}
    start(client, {"svc:options": own})
    assert creates(lab)[0].json["capabilities"]["alwaysMatch"]["svc:options"] == own


def test_credentials_can_be_left_out_and_the_lease_is_brought_along(lab: LabDouble, client: Client) -> None:
    """(specification 5.7) attachSessionCredentials"""
    start(client, lease=Lease(client, MADE), attach_session_credentials=False)
    options = creates(lab)[0].json["capabilities"]["alwaysMatch"]["svc:options"]
    assert options == {"leaseId": "l1", "leaseToken": "svcl_x"}


def test_a_client_without_a_pair_adds_nothing(lab: LabDouble) -> None:
    with pytest.raises(InvalidSessionIdException):
        print(start(Client(lab.url), base_path="/wd").page_source)
    assert "svc:options" not in creates(lab)[0].json["capabilities"]["alwaysMatch"]
    assert lab.bearers == 0


def test_a_command_whose_bearer_token_had_ended_is_sent_once_more_with_a_new_one(
    lab: LabDouble, client: Client
) -> None:
    """(specification 5.7.4) the gate refuses as if there were no such session"""
    driver = start(client)
    lab.ended.add("bearer-1")
    assert driver.page_source == "<page/>"
    sent = [asked.headers["authorization"] for asked in lab.asked_for("/wd/session/s1/source")]
    assert sent == ["Bearer bearer-1", "Bearer bearer-2"]
    assert driver.page_source == "<page/>"
    assert lab.bearers == 2


def test_a_401_before_the_lab_counts_as_a_refusal_too(lab: LabDouble, client: Client) -> None:
    driver = start(client)
    lab.ended.add("bearer-1")

    def entrance(asked: Asked) -> Answer:
        ended = asked.headers["authorization"] == "Bearer bearer-1"
        return Answer(401, b"") if ended else Answer(200, {"value": "through"})

    lab.on("GET", "/wd/session/s1/source", entrance)
    assert driver.page_source == "through"


def test_a_new_token_that_is_refused_again_ends_it(lab: LabDouble, client: Client) -> None:
    driver = start(client)
    lab.ended.update({"bearer-1", "bearer-2"})
    with pytest.raises(InvalidSessionIdException):
        print(driver.page_source)
    assert len(lab.asked_for("/wd/session/s1/source")) == 2
    assert lab.bearers == 2


@pytest.mark.parametrize(("status", "error"), [(401, SvcError), (404, InvalidSessionIdException)])
def test_a_refusal_that_is_not_about_the_bearer_token_is_not_repeated(
    lab: LabDouble, client: Client, status: int, error: type[Exception]
) -> None:
    """Covers an ended session, and a driver that responds 401, which Selenium would treat as the command's result."""
    driver = start(client)
    body = {"value": {"error": "invalid session id", "message": "over", "stacktrace": ""}}
    lab.on("GET", "/wd/session/s1/source", Answer(status, body))
    with pytest.raises(error, match="over"):
        print(driver.page_source)
    assert len(lab.asked_for("/wd/session/s1/source")) == 1
    assert lab.bearers == 1


def test_a_refusal_is_not_repeated_when_the_lab_does_not_say_why(lab: LabDouble, client: Client) -> None:
    driver = start(client)
    lab.ended.add("bearer-1")
    lab.on("GET", "/svc/api/auth/me", Answer(503, {"error": "unavailable"}))
    with pytest.raises(InvalidSessionIdException):
        print(driver.page_source)
    assert len(lab.asked_for("/wd/session/s1/source")) == 1


def test_a_pair_that_was_revoked_meanwhile_is_told_as_such(lab: LabDouble, client: Client) -> None:
    driver = start(client)
    lab.ended.add("bearer-1")
    lab.on("POST", "/svc/api/auth/token", Answer(401, {"error": "invalid credentials"}))
    with pytest.raises(SvcError, match="invalid credentials"):
        print(driver.page_source)


@pytest.mark.parametrize("command", ["page_source", "quit"])
def test_a_command_that_breaks_off_is_not_sent_again(lab: LabDouble, client: Client, command: str) -> None:
    """An interrupted command may have been executed, so sending it again could execute it twice."""
    driver = start(client)

    def breaks(asked: Asked) -> Answer:
        raise Reset

    for method, target in (("GET", "/wd/session/s1/source"), ("DELETE", "/wd/session/s1")):
        lab.on(method, target, breaks)
    before = len(lab.asked)
    with pytest.raises(SvcError) as caught:
        getattr(driver, command)() if command == "quit" else getattr(driver, command)
    assert caught.value.code == "unreachable"
    assert len(lab.asked) == before + 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed_neither_by_selenium_nor_by_urllib3(
    lab: LabDouble, client: Client, status: int
) -> None:
    other = LabDouble()
    try:
        driver = start(client)
        for method, target in (("POST", "/wd/session"), ("GET", "/wd/session/s1/source")):
            lab.on(method, target, Answer(status, None, {"Location": f"{other.url}{target}"}))
        with pytest.raises(SvcError, match="redirect"):
            start(client)
        with pytest.raises(SvcError, match="redirect"):
            print(driver.page_source)
        assert other.asked == []
    finally:
        other.close()


def test_a_command_for_another_server_is_not_sent(lab: LabDouble, client: Client) -> None:
    other = LabDouble()
    try:
        with pytest.raises(SettingError, match="another server"):
            AppiumConnection(client, client_config=AppiumClientConfig(remote_server_addr=f"{other.url}/wd"))
        connection = AppiumConnection(client)
        connection.client_config.remote_server_addr = f"{other.url}/wd"
        with pytest.raises(SettingError, match="the lab of its client"):
            webdriver.Remote(command_executor=connection, options=AppiumOptions())
        assert other.asked == []
    finally:
        other.close()


def test_without_keep_alive_it_is_the_same(lab: LabDouble, client: Client) -> None:
    config = AppiumClientConfig(remote_server_addr=f"{lab.url}/wd", keep_alive=False)
    driver = start(client, client_config=config)
    lab.ended.add("bearer-1")
    assert driver.page_source == "<page/>"


def test_two_clients_in_one_process_keep_their_tokens_apart(lab: LabDouble, client: Client) -> None:
    other = LabDouble()
    try:
        other.bearers = 50
        far = Client(other.url, access_key=ACCESS_KEY, token=TOKEN)
        near_driver, far_driver = start(client), start(far)
        assert near_driver.page_source == far_driver.page_source == "<page/>"
        assert {asked.headers["authorization"] for asked in lab.asked_for("/wd/session/s1/source")} == {
            "Bearer bearer-1"
        }
        assert {asked.headers["authorization"] for asked in other.asked_for("/wd/session/s1/source")} == {
            "Bearer bearer-51"
        }
    finally:
        other.close()


def test_creates_of_many_threads_have_keys_of_their_own(lab: LabDouble, client: Client) -> None:
    """With a known idempotency key, Appium returns the session that the first create made, instead of a new one."""
    together = threading.Barrier(8)

    def create() -> None:
        together.wait()
        start(client)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = {asked.headers["x-idempotency-key"] for asked in creates(lab)}
    assert len(keys) == len(creates(lab)) == 8


def test_no_key_of_a_create_is_left_on_a_command() -> None:
    """With a known idempotency key, Appium repeats the earlier response to any POST, so commands must have none."""
    of_selenium = {"X-Idempotency-Key": "of-another-thread", "Accept": "application/json"}
    assert _plain_headers(of_selenium, False) == {"Accept": "application/json"}
    assert _plain_headers(of_selenium, True)["X-Idempotency-Key"] != "of-another-thread"
