"""Tests of the REST API."""

from __future__ import annotations

import pickle
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from appium import webdriver
from appium.options.common import AppiumOptions
from lab_double import ACCESS_KEY, TOKEN, Answer, Asked, LabDouble, Reset

from appium_svc import AppiumConnection, Client, SvcError
from appium_svc._target import target_of
from appium_svc._upload import Upload


def refused(act: Any) -> SvcError:
    with pytest.raises(SvcError) as caught:
        act()
    return caught.value


def test_every_request_carries_the_pair_and_changes_what_a_page_would_send(lab: LabDouble, client: Client) -> None:
    """(specification 5.1, 5.6)"""
    lab.on("POST", "/svc/api/device/tags", Answer(200, {"udid": "a"}))
    assert client.request("POST", "/device/tags", body={"udid": "a", "tags": []}) == {"udid": "a"}
    client.me()
    post, get = lab.asked
    for asked in (post, get):
        assert (asked.headers["x-svc-access-key"], asked.headers["x-svc-token"]) == (ACCESS_KEY, TOKEN)
    assert post.headers["origin"] == lab.url
    assert post.headers["x-auto-is-sensitive"] == "true"
    assert post.json == {"udid": "a", "tags": []}
    assert "origin" not in get.headers


def test_without_a_pair_no_credential_is_sent(lab: LabDouble) -> None:
    Client(lab.url).me()
    assert not {"x-svc-access-key", "x-svc-token", "authorization"} & set(lab.asked[0].headers)


def test_a_refusal_says_status_code_message_and_the_rest(lab: LabDouble, client: Client) -> None:
    """(contract 1) one error shape"""
    body = {"error": "insufficient_scope", "message": "This needs a scope.", "required": "devices"}
    lab.on("POST", "/svc/api/leases", Answer(403, body, {"X-Request-Id": "r-7"}))
    error = refused(lambda: client.lease(platform="Android"))
    assert (error.status, error.code, error.request_id) == (403, "insufficient_scope", "r-7")
    assert error.details == {"required": "devices"}
    assert str(error) == "insufficient_scope: This needs a scope. (status 403), request r-7"
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.status, copy.code, str(copy)) == (error.status, error.code, str(error))


def test_an_answer_without_body_is_none(lab: LabDouble, client: Client) -> None:
    lab.on("DELETE", "/svc/api/apps/a%2Fb", Answer(204))
    client.delete_app("a/b")


@pytest.mark.parametrize("answer", [Answer(200, b"<html>"), Answer(502, b"<html>"), Answer(403, {"errors": []})])
def test_what_is_no_answer_of_the_service_is_said_to_be_none(lab: LabDouble, client: Client, answer: Answer) -> None:
    lab.on("GET", "/svc/api/auth/me", answer)
    error = refused(client.me)
    assert (error.status, error.code) == (answer.status, "unexpected_answer")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_other_server_gets_nothing(
    lab: LabDouble, client: Client, status: int
) -> None:
    other = LabDouble()
    try:
        location = f"{other.url}/svc/api/leases?ticket=secret"
        lab.on("POST", "/svc/api/leases", Answer(status, None, {"Location": location}))
        error = refused(lambda: client.lease(udid="a"))
        assert error.status == status
        assert other.url in str(error)
        assert "secret" not in str(error)
        assert other.asked == []
        assert len(lab.asked) == 1
    finally:
        other.close()


@pytest.mark.parametrize(("method", "path"), [("GET", "/devices"), ("POST", "/leases"), ("DELETE", "/leases/1")])
def test_a_request_that_breaks_off_is_not_sent_again(lab: LabDouble, client: Client, method: str, path: str) -> None:
    def breaks(asked: Asked) -> Answer:
        raise Reset

    lab.on(method, f"/svc/api{path}", breaks)
    error = refused(lambda: client.request(method, path))
    assert (error.status, error.code) == (0, "unreachable")
    assert len(lab.asked) == 1


def test_a_connection_that_broke_is_replaced_for_the_next_request(lab: LabDouble, client: Client) -> None:
    client.me()
    lab.on("GET", "/svc/api/devices", lambda asked: (_ for _ in ()).throw(Reset()))
    refused(client.devices)
    assert client.me()["id"] == "1"


def test_a_refused_pair_is_not_sent_again(lab: LabDouble, client: Client) -> None:
    lab.on("GET", "/svc/api/devices", Answer(401, {"error": "invalid credentials"}))
    assert refused(client.devices).code == "invalid credentials"
    assert len(lab.asked) == 1


def test_nobody_listens_there() -> None:
    gone = LabDouble()
    gone.close()
    error = refused(Client(gone.url, access_key=ACCESS_KEY, token=TOKEN).me)
    assert error.code == "unreachable"
    assert str(error) == f"{gone.url} did not answer: Connection refused"


def test_a_certificate_of_a_private_authority_is_read_for_the_api_and_for_commands(
    lab: LabDouble, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = tmp_path / "ca.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    made += ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, "-keyout", tmp_path / "key.pem", "-out", certificate], check=True, capture_output=True)
    lab.use_tls(certificate, tmp_path / "key.pem")
    refused_by_client = refused(Client(lab.url, access_key=ACCESS_KEY, token=TOKEN).me)
    assert "certificate verify failed" in str(refused_by_client)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    with Client(lab.url, access_key=ACCESS_KEY, token=TOKEN) as client:
        assert client.me()["id"] == "1"
        driver = webdriver.Remote(command_executor=AppiumConnection(client), options=AppiumOptions())
        assert driver.page_source == "<page/>"


def test_a_server_that_does_not_answer_in_time_is_unreachable(lab: LabDouble) -> None:
    over = threading.Event()

    def waits(asked: Asked) -> Answer:
        over.wait(10)
        return Answer(200, {})

    lab.on("GET", "/svc/api/auth/me", waits)
    try:
        error = refused(Client(lab.url, access_key=ACCESS_KEY, token=TOKEN, timeout=0.05).me)
        assert (error.status, error.code) == (0, "unreachable")
    finally:
        over.set()


def test_the_proxy_of_the_environment_is_used_with_its_account(lab: LabDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", lab.url.replace("//", "//me:p%40ss@"))
    lab.on("GET", "http://lab.example:4723/svc/api/auth/me", Answer(200, {"id": "through"}))
    client = Client("http://lab.example:4723", access_key=ACCESS_KEY, token=TOKEN)
    assert client.me()["id"] == "through"
    assert lab.asked[0].headers["proxy-authorization"] == "Basic bWU6cEBzcw=="


def test_what_a_proxy_says_is_no_answer_of_the_service(lab: LabDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", lab.url)
    lab.acts.insert(0, lambda asked: Answer(407, b"who are you"))
    error = refused(Client("http://lab.example:4723", access_key=ACCESS_KEY, token=TOKEN).me)
    assert (error.status, error.code) == (407, "unexpected_answer")


def test_no_proxy_is_heeded(lab: LabDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    Client(lab.url, access_key=ACCESS_KEY, token=TOKEN).me()


def test_a_file_is_uploaded_as_it_is_read(lab: LabDouble, client: Client, tmp_path: Path) -> None:
    file = tmp_path / 'no"tes.apk'
    file.write_bytes(bytes(range(256)) * 1_000)
    lab.on("POST", "/svc/api/apps", Answer(201, {"id": "1", "name": "x", "size": 256_000}))
    assert client.upload_app(file)["size"] == 256_000
    (asked,) = lab.asked
    boundary = asked.headers["content-type"].split("boundary=")[1].encode()
    head, content = asked.body.split(b"\r\n\r\n", 1)
    assert b'name="file"; filename="no%22tes.apk"' in head
    assert content == file.read_bytes() + b"\r\n--" + boundary + b"--\r\n"
    assert "transfer-encoding" not in asked.headers


def test_a_file_that_changes_meanwhile_leaves_no_server_waiting(tmp_path: Path) -> None:
    file = tmp_path / "notes.apk"
    file.write_bytes(b"x" * 10)
    with file.open("rb") as opened:
        upload = Upload(opened, "notes.apk")
        file.write_bytes(b"")
        assert upload.read().startswith(b"--")
        with pytest.raises(OSError, match="shorter"):
            upload.read()
    file.write_bytes(b"x" * 10)
    with file.open("rb") as opened:
        upload = Upload(opened, "notes.apk")
        file.write_bytes(b"y" * 20)
        sent = b"".join(iter(upload.read, b""))
    assert len(sent) == int(upload.headers["Content-Length"])


def test_queries_and_parameters_stay_in_their_place(lab: LabDouble, client: Client) -> None:
    lab.on("GET", "/svc/api/sessions?limit=5&search=a%26b", Answer(200, []))
    assert client.sessions(limit=5, search="a&b") == []
    assert target_of("/session/{id}", {"id": "a/../b?c"}, {}) == "/svc/api/session/a%2F..%2Fb%3Fc"


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/session/{id}", {}),
        ("/session/{id}", {"id": ""}),
        ("/session/{id}", {"id": ".."}),
        ("/session/../apikeys", {}),
        ("/sessions?limit=1", {}),
        ("sessions", {}),
        ("/sessions/", {}),
        ("//lab.example", {}),
        ("/a\r\nb", {}),
        ("", {}),
    ],
)
def test_a_path_that_leads_elsewhere_is_an_error(path: str, params: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="path"):
        target_of(path, params, {})


def test_one_bearer_token_is_shared(lab: LabDouble, client: Client) -> None:
    assert client.bearer() is client.bearer("svc-rest")
    assert client.bearer().token() == client.bearer().token() == "bearer-1"
    assert client.bearer("svc-mcp") is not client.bearer()
    assert lab.bearers == 1
