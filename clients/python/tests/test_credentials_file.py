"""Tests of the credentials that ``svc login`` stored (contract 10.7)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from lab_double import ACCESS_KEY, TOKEN

from appium_svc import Client, SettingError
from appium_svc._credentials_file import credentials_path

ONE = "https://one.example:4723"
TWO = "https://two.example"
ENTRY = {"accessKey": ACCESS_KEY, "token": TOKEN, "tokenExpiresAt": "2030-01-31T12:00:00.000Z"}


def store(home: Path, content: Any, mode: int = 0o600) -> dict[str, str]:
    """Writes the file of a home folder, and returns the environment that names the folder."""
    file = home / ".config" / "svc" / "credentials.json"
    file.parent.mkdir(parents=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    file.chmod(mode)
    return {"HOME": str(home)}


def test_the_only_entry_is_used_without_an_address(tmp_path: Path) -> None:
    client = Client.from_env(store(tmp_path, {ONE: ENTRY}))
    assert (client.url, client.pair) == (ONE, (ACCESS_KEY, TOKEN))


def test_the_address_chooses_one_of_several_entries(tmp_path: Path) -> None:
    home = store(tmp_path, {ONE: ENTRY, TWO: {**ENTRY, "token": f"{TOKEN}2"}})
    assert Client.from_env({**home, "SVC_URL": f"{TWO}/"}).pair == (ACCESS_KEY, f"{TOKEN}2")
    with pytest.raises(SettingError, match=f"one of the labs .*: {ONE}, {TWO}"):
        Client.from_env(home)
    with pytest.raises(SettingError, match="svc login https://three.example"):
        Client.from_env({**home, "SVC_URL": "https://three.example"})


def test_the_environment_wins_and_is_never_mixed_with_the_file(tmp_path: Path) -> None:
    home = store(tmp_path, {ONE: ENTRY})
    given = {"SVC_ACCESS_KEY": "svc_env", "SVC_TOKEN": "svct_env"}
    assert Client.from_env({**home, **given, "SVC_URL": ONE}).pair == ("svc_env", "svct_env")
    with pytest.raises(SettingError, match="Set SVC_URL"):
        Client.from_env({**home, **given})
    with pytest.raises(SettingError, match="Set SVC_ACCESS_KEY"):
        Client.from_env({**home, "SVC_URL": ONE, "SVC_TOKEN": "svct_env"})


@pytest.mark.parametrize("environ", [{}, {"HOME": "/nowhere"}])
def test_without_a_file_it_says_what_to_do(environ: dict[str, str]) -> None:
    with pytest.raises(SettingError, match="svc login <address>"):
        Client.from_env(environ)
    with pytest.raises(SettingError, match=f"svc login {ONE}"):
        Client.from_env({**environ, "SVC_URL": ONE})


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SettingError, match="Other users can read .* chmod 600") as caught:
        Client.from_env(store(tmp_path, {ONE: ENTRY}, mode))
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        TOKEN,
        "[]",
        "[" * 100_000,
        {ONE: TOKEN},
        {ONE: {"accessKey": ACCESS_KEY}},
        {ONE: {**ENTRY, "token": f"{TOKEN}\n"}},
    ],
)
def test_a_file_that_is_not_valid_is_refused_and_not_repeated(tmp_path: Path, content: Any) -> None:
    with pytest.raises(SettingError, match="is not valid") as caught:
        Client.from_env(store(tmp_path, content))
    assert TOKEN not in str(caught.value)


def test_xdg_config_home_wins_if_it_is_absolute() -> None:
    assert credentials_path({"XDG_CONFIG_HOME": "/xdg", "HOME": "/home/mia"}) == Path("/xdg/svc/credentials.json")
    expected = Path("/home/mia/.config/svc/credentials.json")
    assert credentials_path({"XDG_CONFIG_HOME": "relative", "HOME": "/home/mia"}) == expected
    assert credentials_path({}) is None
