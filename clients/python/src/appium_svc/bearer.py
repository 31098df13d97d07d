"""A bearer token that is renewed before it expires."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ._secret import Secret
from .errors import SvcError

#: Maximum seconds between renewal and expiry. A token is renewed in the last quarter of its life, but no earlier than
#: these five minutes before it expires.
_MOST_AHEAD_S = 300.0
_LONGEST_RETRY_S = 30.0


@dataclass(frozen=True)
class _Held:
    token: Secret
    asked_at: float
    renew_at: float
    ends_at: float

    def valid(self, now: float) -> bool:
        """Returns whether the token can be used.

        A time before the request for the token means that the clock was set back. The stored expiry is then wrong, so
        the method returns false.
        """
        return self.asked_at <= now < self.ends_at


class Bearer:
    """A bearer token that is renewed before it expires (specification 5.3). Thread-safe.

    At most one request for a token runs at a time. While the old token is valid, one thread renews it and the others
    continue to use it; a failed renewal is retried with growing delays. After the old token has expired, every thread
    waits for a new one, and gets an error if none could be issued.
    """

    def __init__(
        self,
        issue: Callable[[], tuple[str, float]],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Creates a bearer token, which is requested when it is first needed.

        ``issue`` requests a token and returns it with its life in seconds. ``clock`` is the wall clock by default: a
        token also expires while the machine sleeps, but a monotonic clock can stop then.
        """
        self._issue = issue
        self._clock = clock
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._failures = 0
        self._retry_at = 0.0

    def __repr__(self) -> str:
        return "Bearer(***)"

    def token(self) -> Secret:
        """Returns a valid token, and renews it first if that is due.

        Raises :class:`SvcError` if the token has expired and no new one could be issued.
        """
        held, now = self._held, self._clock()
        if held is None or not held.valid(now):
            with self._lock:
                return self._current_or_new()
        if now < held.renew_at or not self._lock.acquire(blocking=False):
            return held.token
        try:
            return self._current_or_new()
        finally:
            self._lock.release()

    def renew(self, refused: str) -> Secret:
        """Returns another token after the service refused this one.

        Requests a new token, unless another thread has already done so.
        """
        with self._lock:
            held = self._held
            if held is not None and held.token != refused and held.valid(self._clock()):
                return held.token
            return self._new()

    def _current_or_new(self) -> Secret:
        held, now = self._held, self._clock()
        if held is None or not held.valid(now):
            return self._new()
        if now < max(held.renew_at, self._retry_at):
            return held.token
        try:
            return self._new()
        except SvcError:
            self._failures += 1
            self._retry_at = now + min(_LONGEST_RETRY_S, 2.0 ** (self._failures - 1))
            return held.token

    def _new(self) -> Secret:
        # The lifetime is counted from the time before the request, so that a slow response does not make the token seem
        # valid for longer.
        asked_at = self._clock()
        token, life = self._issue()
        ends_at = asked_at + life
        renew_at = ends_at - min(_MOST_AHEAD_S, life / 4)
        self._held = _Held(Secret(token), asked_at, renew_at, ends_at)
        self._failures, self._retry_at = 0, 0.0
        return self._held.token
