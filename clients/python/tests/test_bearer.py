"""Tests of a bearer token that is renewed automatically (specification 5.3)."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest

from appium_svc import Bearer, SvcError


class Issuer:
    """Counts the tokens that it issues; the test sets the time."""

    def __init__(self, life: float = 3600) -> None:
        self.now = 1_000_000.0
        self.life = life
        self.issued = 0
        self.fails = False
        self.before: Callable[[], None] = lambda: None
        self.bearer = Bearer(self._issue, clock=lambda: self.now)

    def _issue(self) -> tuple[str, float]:
        self.before()
        self.issued += 1
        if self.fails:
            raise SvcError("no answer", code="unreachable")
        return f"bearer-{self.issued}", self.life


@pytest.mark.parametrize(("life", "ahead"), [(3600, 300), (86_400, 300), (600, 150), (6, 1.5)])
def test_it_is_renewed_in_the_last_quarter_of_its_life_and_at_most_five_minutes_early(
    life: float, ahead: float
) -> None:
    issuer = Issuer(life)
    assert issuer.bearer.token() == "bearer-1"
    issuer.now += life - ahead - 0.01
    assert issuer.bearer.token() == "bearer-1"
    issuer.now += 0.02
    assert issuer.bearer.token() == "bearer-2"
    assert issuer.issued == 2


def test_its_life_is_counted_from_before_it_was_asked_for() -> None:
    issuer = Issuer(100)

    def slow() -> None:
        issuer.now += 80

    issuer.before = slow
    issuer.bearer.token()
    issuer.before = lambda: None
    assert issuer.bearer.token() == "bearer-2"


def test_a_renewal_that_fails_leaves_the_token_that_is_good_and_is_tried_less_and_less_often() -> None:
    issuer = Issuer(3600)
    issuer.bearer.token()
    issuer.fails = True
    issuer.now += 3600 - 300
    tried = []
    while issuer.now < 1_000_000 + 3600:
        before = issuer.issued
        assert issuer.bearer.token() == "bearer-1"
        if issuer.issued > before:
            tried.append(issuer.now)
        issuer.now += 0.5
    gaps = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert gaps[:6] == [1, 2, 4, 8, 16, 30]
    assert max(gaps) == 30
    with pytest.raises(SvcError):
        issuer.bearer.token()
    issuer.fails = False
    assert issuer.bearer.token().startswith("bearer-")


def test_the_end_is_noticed_after_a_sleep_and_after_the_clock_was_set_back() -> None:
    issuer = Issuer()
    issuer.bearer.token()
    issuer.now += 100_000
    assert issuer.bearer.token() == "bearer-2"
    issuer.now -= 50_000
    assert issuer.bearer.token() == "bearer-3"


def test_many_threads_ask_once() -> None:
    issuer = Issuer()
    together = threading.Barrier(20)
    got: list[str] = []

    def ask() -> None:
        together.wait()
        got.append(issuer.bearer.token())

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(got) == {"bearer-1"}
    assert issuer.issued == 1


def test_while_one_thread_renews_the_others_go_on_with_the_token_that_is_good() -> None:
    issuer = Issuer()
    issuer.bearer.token()
    issuer.now += 3500
    asked, go_on = threading.Event(), threading.Event()

    def held_up() -> None:
        asked.set()
        assert go_on.wait(10)

    issuer.before = held_up
    renewing = threading.Thread(target=issuer.bearer.token)
    renewing.start()
    assert asked.wait(10)
    assert issuer.bearer.token() == "bearer-1"
    go_on.set()
    renewing.join()
    assert issuer.bearer.token() == "bearer-2"


def test_threads_whose_token_was_refused_get_one_new_token() -> None:
    issuer = Issuer()
    first = issuer.bearer.token()
    assert issuer.bearer.renew(first) == "bearer-2"
    assert issuer.bearer.renew(first) == "bearer-2"
    assert issuer.issued == 2
