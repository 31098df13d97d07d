"""Tests of the fixtures, each in a separate pytest run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lab_double import ACCESS_KEY, TOKEN, Answer, LabDouble

pytest_plugins = ["pytester"]
MADE = {"leaseId": "l1", "leaseToken": "svcl_x", "udid": "phone-1", "expiresAt": "2030-01-01T00:00:00.000Z"}


@pytest.fixture(autouse=True)
def environment(lab: LabDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_URL", lab.url)
    monkeypatch.setenv("SVC_ACCESS_KEY", ACCESS_KEY)
    monkeypatch.setenv("SVC_TOKEN", TOKEN)
    lab.on("POST", "/svc/api/leases", Answer(201, MADE))
    lab.on("DELETE", "/svc/api/leases/l1", Answer(204))


def reported(lab: LabDouble) -> list[Any]:
    """Returns the script and argument of each record update of the session."""
    bodies = [asked.json for asked in lab.asked_for("/wd/session/s1/execute/sync")]
    return [(body["script"], body["args"][0]) for body in bodies]


def ends(lab: LabDouble) -> int:
    return len([asked for asked in lab.asked if (asked.method, asked.target) == ("DELETE", "/wd/session/s1")])


def test_a_session_has_the_name_of_its_test_and_how_it_went(pytester: pytest.Pytester, lab: LabDouble) -> None:
    pytester.makepyfile(
        test_it="""
        def test_good(svc_driver):
            assert svc_driver.page_source == "<page/>"

        def test_bad(svc_driver):
            assert svc_driver.page_source == "other"
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    names = [("svc: setSessionName", {"name": f"test_it.py::test_{name}"}) for name in ("good", "bad")]
    good, passed, bad, failed = reported(lab)
    assert [good, bad] == names
    assert passed == ("svc: setSessionStatus", {"status": "passed"})
    assert failed[1]["status"] == "failed"
    assert failed[1]["reason"].startswith("AssertionError: assert '<page/>' == 'other'")
    assert ends(lab) == 2
    assert lab.bearers == 1


BOTH = """
    def test_good(svc_driver):
        pass

    def test_bad(svc_driver):
        assert False
"""


def test_the_report_of_a_failed_test_is_saved_and_named_in_junit_xml(pytester: pytest.Pytester, lab: LabDouble) -> None:
    """(contract 11)"""
    lab.on("GET", "/svc/api/session/s1/report", Answer(200, b"<!doctype html>"))
    pytester.makepyfile(test_it=BOTH)
    run = pytester.runpytest_inprocess("--svc-reports=out/reports", "--junitxml=junit.xml")
    run.assert_outcomes(passed=1, failed=1)
    assert len(lab.asked_for("/svc/api/session/s1/report")) == 1
    report = pytester.path / "out/reports/svc-session-s1.html"
    assert report.read_bytes() == b"<!doctype html>"
    assert ends(lab) == 2
    xml = (pytester.path / "junit.xml").read_text()
    assert xml.count('<property name="svc_report" value="out/reports/svc-session-s1.html"') == 1


def test_a_report_that_cannot_be_saved_is_a_warning(pytester: pytest.Pytester, lab: LabDouble) -> None:
    """(contract 11)"""
    lab.on("GET", "/svc/api/session/s1/report", Answer(503, {"error": "unavailable"}))
    pytester.makepyfile(test_it=BOTH)
    run = pytester.runpytest_inprocess("--svc-reports=out")
    run.assert_outcomes(passed=1, failed=1, warnings=1)
    run.stdout.fnmatch_lines(["*The report of the session could not be saved: *unavailable*"])


def test_without_a_folder_no_report_is_requested(pytester: pytest.Pytester, lab: LabDouble) -> None:
    """(contract 11)"""
    pytester.makepyfile(test_it=BOTH)
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    assert lab.asked_for("/svc/api/session/s1/report") == []


def test_the_session_ends_when_another_fixture_fails(pytester: pytest.Pytester, lab: LabDouble) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken(svc_driver):
            raise KeyError("no data")

        def test_it(broken):
            pass
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(errors=1)
    assert reported(lab)[1] == ("svc: setSessionStatus", {"status": "failed", "reason": "KeyError: 'no data'"})
    assert ends(lab) == 1


def test_a_marked_test_gets_its_phone_and_gives_it_back(pytester: pytest.Pytester, lab: LabDouble) -> None:
    """(contract 2, leases)"""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.svc_lease(platform="Fake", minutes=5)
        def test_it(svc_driver, svc_lease):
            assert svc_lease.udid == "phone-1"

        @pytest.mark.svc_lease(udid="phone-1")
        def test_unnamed(svc_driver):
            pass
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)
    assert [asked.json for asked in lab.asked_for("/svc/api/leases")] == [
        {"platform": "Fake", "minutes": 5},
        {"udid": "phone-1", "minutes": 30},
    ]
    for create in lab.asked_for("/wd/session"):
        assert create.json["capabilities"]["alwaysMatch"]["svc:options"] == {
            "accessKey": ACCESS_KEY,
            "token": TOKEN,
            "leaseId": "l1",
            "leaseToken": "svcl_x",
        }
    # The session must end before its phone is given back.
    ended = [asked.target for asked in lab.asked if asked.method == "DELETE"]
    assert ended == ["/wd/session/s1", "/svc/api/leases/l1"] * 2


def test_capabilities_are_those_of_the_project(pytester: pytest.Pytester, lab: LabDouble) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def svc_capabilities():
            return {"platformName": "Android", "appium:app": "svc:app/1"}
        """
    )
    pytester.makepyfile("def test_it(svc_driver): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    sent = lab.asked_for("/wd/session")[0].json["capabilities"]["alwaysMatch"]
    assert (sent["platformName"], sent["appium:app"]) == ("Android", "svc:app/1")


def test_capabilities_may_come_from_the_environment(
    pytester: pytest.Pytester, lab: LabDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_CAPABILITIES", '{"platformName": "Android"}')
    pytester.makepyfile("def test_it(svc_capabilities): assert svc_capabilities == {'platformName': 'Android'}")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    monkeypatch.setenv("SVC_CAPABILITIES", "Android")
    pytester.runpytest_inprocess().stdout.fnmatch_lines(["*SVC_CAPABILITIES must be a JSON object*"])


def test_a_session_that_is_over_fails_no_test(pytester: pytest.Pytester, lab: LabDouble) -> None:
    pytester.makepyfile("def test_it(svc_driver): svc_driver.execute('quit')")
    over = Answer(404, {"value": {"error": "invalid session id", "message": "over", "stacktrace": ""}})
    lab.on("DELETE", "/wd/session/s1", lambda asked: Answer(200, {"value": None}) if ends(lab) == 1 else over)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("fixture", "unset", "line"),
    [
        ("svc_client", "SVC_TOKEN", "*Set SVC_TOKEN, or SVC_TOKEN_FILE to a file that holds it*"),
        ("svc_lease", "NOTHING", '*Choose a phone: @pytest.mark.svc_lease(platform="Android")*'),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, fixture: str, unset: str, line: str
) -> None:
    monkeypatch.delenv(unset, raising=False)
    pytester.makepyfile(f"def test_it({fixture}): pass")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([line])


def test_a_lab_without_virtual_phones_asks_for_capabilities(pytester: pytest.Pytester, lab: LabDouble) -> None:
    lab.on("GET", "/svc/api/capabilities", Answer(200, {"webDriver": {"basePath": "", "example": None}}))
    pytester.makepyfile("def test_it(svc_driver): pass")
    pytester.runpytest_inprocess().stdout.fnmatch_lines(["*Define a fixture svc_capabilities*"])


def test_no_secret_is_printed_by_a_failing_test_with_its_locals(pytester: pytest.Pytester, lab: LabDouble) -> None:
    pytester.makepyfile(
        """
        def test_it(svc_driver, svc_client):
            bearer, headers = svc_client.bearer().token(), svc_client.pair
            answer = svc_client.issue_bearer()
            assert svc_driver.find_element("id", "nothing") is answer
        """
    )
    lab.on("POST", "/wd/session/s1/element", Answer(500, {"value": {"error": "unknown error", "message": "broken"}}))
    result = pytester.runpytest_inprocess("--showlocals", "--full-trace", "-o", "log_level=DEBUG")
    result.assert_outcomes(failed=1)
    output = result.stdout.str() + result.stderr.str() + json.dumps(reported(lab))
    assert "'***'" in output
    for secret in (TOKEN, "bearer-1", "bearer-2"):
        assert secret not in output


def test_a_project_without_appium_only_pays_for_what_it_uses(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert not [name for name in sys.modules if name.split(".")[0] in ("appium", "selenium", "urllib3")]
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
