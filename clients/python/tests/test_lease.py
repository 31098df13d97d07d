"""Tests of a reserved phone (contract 2, leases)."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from lab_double import Answer, LabDouble

from appium_svc import Client, SvcError

LEASE_TOKEN = "svcl_secretOfALease"
MADE = {"leaseId": "l1", "leaseToken": LEASE_TOKEN, "udid": "phone-1", "expiresAt": "2030-01-01T00:00:00.000Z"}


@pytest.fixture(autouse=True)
def leases(lab: LabDouble) -> None:
    lab.on("POST", "/svc/api/leases", Answer(201, MADE))
    lab.on("DELETE", "/svc/api/leases/l1", Answer(204))


def ends(lab: LabDouble) -> int:
    return len([asked for asked in lab.asked if asked.method == "DELETE"])


@pytest.mark.parametrize(
    ("wanted", "body"),
    [
        ({"udid": "a"}, {"udid": "a", "minutes": 30}),
        ({"udid": "a", "queue_seconds": 30}, {"udid": "a", "minutes": 30, "queueSeconds": 30}),
        ({"platform": "Android", "tags": ("x",), "minutes": 5}, {"platform": "Android", "tags": ["x"], "minutes": 5}),
    ],
)
def test_only_what_is_wanted_is_asked_for(lab: LabDouble, client: Client, wanted: Any, body: Any) -> None:
    with client.lease(**wanted) as lease:
        assert lease.udid == "phone-1"
        assert lab.asked[0].json == body
        assert ends(lab) == 0
    assert ends(lab) == 1


def test_a_create_brings_it_along(client: Client) -> None:
    lease = client.lease(udid="a")
    assert lease.capabilities({"a": 1}) == {"a": 1, "svc:options": {"leaseId": "l1", "leaseToken": LEASE_TOKEN}}


def test_it_is_extended(lab: LabDouble, client: Client) -> None:
    lab.on("PATCH", "/svc/api/leases/l1", Answer(200, {**MADE, "expiresAt": "2031-01-01T00:00:00.000Z"}))
    lease = client.lease(udid="a")
    assert lease.extend(5) == lease.expires_at == "2031-01-01T00:00:00.000Z"
    assert lab.asked[-1].json == {"minutes": 5}


def test_it_is_given_back_when_the_block_fails(lab: LabDouble, client: Client) -> None:
    with pytest.raises(KeyError), client.lease(udid="a"):
        raise KeyError
    assert ends(lab) == 1


def test_one_that_is_over_is_no_error(lab: LabDouble, client: Client) -> None:
    lab.on("DELETE", "/svc/api/leases/l1", Answer(404, {"error": "not_found"}))
    with client.lease(udid="a"):
        pass


def test_what_failed_inside_is_told_before_that_it_was_not_given_back(
    lab: LabDouble, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    lab.on("DELETE", "/svc/api/leases/l1", Answer(503, {"error": "unavailable"}))
    with pytest.raises(KeyError), caplog.at_level(logging.WARNING), client.lease(udid="a"):
        raise KeyError
    assert "phone-1 was not given back" in caplog.text
    with pytest.raises(SvcError, match="unavailable"), client.lease(udid="a"):
        pass


def test_a_busy_phone_is_an_error_with_its_code(lab: LabDouble, client: Client) -> None:
    lab.on("POST", "/svc/api/leases", Answer(409, {"error": "device_busy"}))
    with pytest.raises(SvcError) as caught:
        client.lease(udid="a")
    assert (caught.value.status, caught.value.code) == (409, "device_busy")
