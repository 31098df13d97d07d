"""Tests of the address of the lab and the credentials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lab_double import ACCESS_KEY, TOKEN

from appium_svc import Client, SettingError
from appium_svc.settings import service_origin

FULL = {"SVC_URL": "https://lab.example:4723", "SVC_ACCESS_KEY": ACCESS_KEY, "SVC_TOKEN": TOKEN}


def test_the_variables_of_svc_proxy_are_read() -> None:
    client = Client.from_env(FULL)
    assert client.url == "https://lab.example:4723"
    assert client.pair == (ACCESS_KEY, TOKEN)


def test_files_are_read_where_the_variables_name_them(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    given = {name: value for name, value in FULL.items() if name != "SVC_TOKEN"}
    client = Client.from_env({**given, "SVC_TOKEN_FILE": str(file)})
    assert client.pair == (ACCESS_KEY, TOKEN)


def test_without_a_pair_the_tokens_of_a_ci_job_are_used() -> None:
    """(contract 10.3) the variables that ci-login writes"""
    job = {"SVC_URL": FULL["SVC_URL"], "SVC_ACCESS_TOKEN": "j.w.t", "SVC_SESSION_TOKEN": "s.w.t"}
    client = Client.from_env(job)
    assert (client.pair, client.access_token, client.session_token) == (None, "j.w.t", "s.w.t")
    assert "w.t" not in repr(vars(client))
    assert Client.from_env({**job, "SVC_SESSION_TOKEN": ""}).session_token is None
    assert Client.from_env({**FULL, **job}).access_token is None
    with pytest.raises(SettingError, match="Set SVC_URL"):
        Client.from_env({**job, "SVC_URL": ""})
    with pytest.raises(SettingError, match="either a key pair"):
        Client("http://lab.example", session_token="s.w.t")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SVC_URL": ""}, "Set SVC_URL"),
        ({"SVC_TOKEN": " "}, "Set SVC_TOKEN"),
        ({"SVC_ACCESS_KEY": ""}, "Set SVC_ACCESS_KEY"),
        ({"SVC_TOKEN": "", "SVC_TOKEN_FILE": "/nowhere/token"}, "cannot be read"),
        ({"SVC_TOKEN": "", "SVC_TOKEN_FILE": "/dev/null"}, "is empty"),
        ({"SVC_AUDIENCE": "svc-session"}, "svc-rest or svc-mcp"),
        ({"SVC_URL": "https://lab.example/wd/hub"}, "scheme, host and port"),
        ({"SVC_TOKEN": f"{TOKEN}\u2026"}, "no header can carry"),
        ({"SVC_TOKEN": f"{TOKEN}\nx-injected: 1"}, "no header can carry"),
    ],
)
def test_what_is_missing_is_named_and_no_value_is(changed: dict[str, str], message: str) -> None:
    with pytest.raises(SettingError, match=message) as caught:
        Client.from_env({**FULL, **changed})
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("pair", [{"access_key": ACCESS_KEY}, {"token": TOKEN}, {"access_key": "", "token": TOKEN}])
def test_half_a_pair_is_refused(pair: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="an access key and a token"):
        Client("http://lab.example", **pair)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Lab.Example:443/", "https://lab.example"),
        ("http://lab.example:4723", "http://lab.example:4723"),
        ("http://[::1]:4723", "http://[::1]:4723"),
    ],
)
def test_an_address_is_written_in_one_way(address: str, origin: str) -> None:
    assert service_origin(address) == origin


@pytest.mark.parametrize(
    "address",
    ["lab.example:4723", "ftp://lab.example", "http://", "http://me:pw@lab.example", "http://lab.example:99999"],
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(SettingError):
        service_origin(address)
