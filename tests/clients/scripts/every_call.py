"""Calls every method of the client and compares each response with the type of the method."""

import typing
from pathlib import Path

from appium import webdriver
from appium.options.common import AppiumOptions

from appium_svc import AppiumConnection, Client, SvcError

checked = 0


def check(value, kind, where):
    """Raises if the value does not have the type: if fields are missing, unknown or of another type."""
    global checked
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return
    if typing.is_typeddict(kind):
        assert isinstance(value, dict), where
        fields = typing.get_type_hints(kind)
        unknown, missing = value.keys() - fields.keys(), kind.__required_keys__ - value.keys()
        assert not unknown and not missing, f"{where}: unknown {unknown}, missing {missing}"
        for name in value:
            check(value[name], fields[name], f"{where}.{name}")
        checked += 1
    elif origin is list:
        assert isinstance(value, list), where
        for item in value:
            check(item, arguments[0], f"{where}[]")
    elif origin is dict:
        assert isinstance(value, dict), where
    elif origin is typing.Literal:
        assert value in arguments, f"{where}: {value!r}"
    elif arguments:
        assert any(fits(value, each, where) for each in arguments), f"{where}: {value!r}"
    else:
        # JSON does not tell 0 from 0.0, and type checkers accept an int for a float, too (PEP 484).
        accepted = (int, float) if kind is float else kind
        assert isinstance(value, accepted), f"{where}: {value!r}"


def fits(value, kind, where):
    try:
        check(value, kind, where)
    except AssertionError:
        return False
    return True


def call(method, *given, **named):
    answer = getattr(client, method)(*given, **named)
    hints = typing.get_type_hints(getattr(Client, method))
    if hints["return"] is not type(None):
        check(answer, hints["return"], method)
    return answer


client = Client.from_env()
wanted = call("capabilities")["webDriver"]["example"]
call("me")
call("issue_bearer")
call("issue_bearer", "svc-mcp", ["auto:use"])
made = call("create_token", "short", scopes=["read"], expires_at="2099-01-01T00:00:00.000Z")
assert made["id"] in [token["id"] for token in call("tokens")]
call("revoke_token", made["id"])
app = call("upload_app", Path(__file__), "script.apk")
assert app["size"] == Path(__file__).stat().st_size
assert call("apps") == [app]
call("delete_app", app["id"])

with client.lease(platform="Fake", minutes=1) as lease:
    (held,) = call("leases")
    assert held["udid"] == lease.udid
    assert lease.extend(2) > held["expiresAt"]
    call("stream_ticket", lease.udid)
    driver = webdriver.Remote(
        command_executor=AppiumConnection(client, lease=lease),
        options=AppiumOptions().load_capabilities(wanted),
    )
    device = next(device for device in call("devices") if device["udid"] == lease.udid)
    assert device["status"] == "busy" and device["session"]["id"] == driver.session_id
    assert "lease" in device
    driver.page_source
    call("session", driver.session_id)
    assert call("session_log", driver.session_id, limit=10)
    assert client.session_report(driver.session_id).lower().startswith(b"<!doctype html")
    call("end_session", driver.session_id)
assert call("leases") == []
assert call("sessions", limit=1)[0]["status"] == "ended"
call("events_ticket")
try:
    client.session("00000000-0000-4000-8000-000000000000")
except SvcError as error:
    assert (error.status, error.code) == (404, "not_found") and error.request_id
print("checked", checked, "shapes")
