"""Tests of the fields that a create carries (specification 5.4, contract 6)."""

from __future__ import annotations

from typing import Any

import pytest

from appium_svc.capabilities import carries_credentials, with_options

PAIR = {"accessKey": "k", "token": "t"}


@pytest.mark.parametrize(
    ("wanted", "sent"),
    [
        ({}, {"svc:options": PAIR}),
        ({"a": 1, "svc:options": {"team": "x"}}, {"a": 1, "svc:options": {"team": "x", **PAIR}}),
        ({"svc:options": "text"}, {"svc:options": PAIR}),
        ({"alwaysMatch": {"a": 1}}, {"alwaysMatch": {"a": 1, "svc:options": PAIR}}),
        (
            {"alwaysMatch": {"a": 1}, "firstMatch": [{}]},
            {"alwaysMatch": {"a": 1, "svc:options": PAIR}, "firstMatch": [{}]},
        ),
        (
            {"alwaysMatch": {}, "firstMatch": [{"svc:options": {"team": "x"}}, {"b": 2}]},
            {"alwaysMatch": {}, "firstMatch": [{"svc:options": {"team": "x", **PAIR}}, {"b": 2, "svc:options": PAIR}]},
        ),
        ({"firstMatch": [{}]}, {"alwaysMatch": {"svc:options": PAIR}, "firstMatch": [{}]}),
    ],
)
def test_the_fields_go_where_matching_finds_them_once(wanted: dict[str, Any], sent: dict[str, Any]) -> None:
    before = repr(wanted)
    assert with_options(wanted, PAIR) == sent
    assert repr(wanted) == before


@pytest.mark.parametrize(
    ("wanted", "carries"),
    [
        ({"alwaysMatch": {}}, False),
        ({"alwaysMatch": {"svc:options": {"team": "x", "token": ""}}}, False),
        ({"alwaysMatch": {"svc:options": {"sessionToken": "x"}}}, True),
        ({"alwaysMatch": {}, "firstMatch": [{}, {"lab:options": {"accessKey": "x"}}]}, True),
        ({"alwaysMatch": {"df:options": {"token": "x"}}}, False),
    ],
)
def test_credentials_of_its_own_are_seen_in_either_namespace(wanted: dict[str, Any], carries: bool) -> None:
    assert carries_credentials(wanted) is carries
