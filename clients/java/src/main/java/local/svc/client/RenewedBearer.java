package local.svc.client;

import java.time.Clock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A bearer token that is renewed before it expires. At most one request is in flight. While the old token is valid,
 * other threads keep using it, and a failed renewal is retried with growing delays. After it expired, they wait for
 * that request and share its result. This class starts no threads.
 */
public final class RenewedBearer {
    /** A token is renewed in the last quarter of its life, at most five minutes before it expires. */
    private static final long MOST_AHEAD_MS = 300_000;
    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LONGEST_RETRY_MS = 30_000;
    /** Limits requests for new tokens to a server that refuses every token. */
    private static final long BETWEEN_REFUSALS_MS = 10_000;

    private static final long LONGEST_LIFE_S = 366 * 24 * 3600L;

    private static final class Held {
        final String token;
        final long renewAt;
        final long endsAt;

        Held(String token, long asked, long lifeMs) {
            this.token = token;
            endsAt = asked + lifeMs;
            renewAt = endsAt - Math.min(MOST_AHEAD_MS, lifeMs / 4);
        }
    }

    private final Supplier<IssuedBearer> issue;
    /** The wall clock, because a token also expires while the machine sleeps. */
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Held held;
    private volatile long retryAt = Long.MIN_VALUE;
    private volatile int attempts;
    /** The lock guards these fields. */
    private int failures;
    private SvcException lastFailure;
    private long refusedAgainAt = Long.MIN_VALUE;

    /** @param issue requests a token with a credential that outlives it, for example {@code client::issueBearer} */
    public RenewedBearer(Supplier<IssuedBearer> issue) {
        this(issue, Clock.systemUTC());
    }

    RenewedBearer(Supplier<IssuedBearer> issue, Clock clock) {
        this.issue = issue;
        this.clock = clock;
    }

    /**
     * A token that is valid now. Secret.
     *
     * @throws SvcException if there is no valid token and none could be issued
     */
    public String current() {
        Held now = held;
        if (isValid(now)) {
            long time = clock.millis();
            if (time >= now.renewAt && time >= retryAt) renewAhead(now);
            now = held;
        }
        return isValid(now) ? now.token : renew(now).token;
    }

    /**
     * Called after a response refused this token. Returns whether {@link #current()} returns another token now, so that
     * the request may be repeated once. Requests a new one at most every ten seconds.
     */
    public boolean renewAfter(String refused) {
        Held now = held;
        if (now == null || !now.token.equals(refused)) return isValid(now);
        asking.lock();
        try {
            if (held != now) return isValid(held);
            long time = clock.millis();
            if (time < refusedAgainAt) return false;
            refusedAgainAt = time + BETWEEN_REFUSALS_MS;
            return !ask().token.equals(refused);
        } catch (SvcException e) {
            return false;
        } finally {
            asking.unlock();
        }
    }

    private boolean isValid(Held token) {
        return token != null && clock.millis() < token.endsAt;
    }

    private void renewAhead(Held old) {
        if (!asking.tryLock()) return;
        try {
            if (held == old) ask();
        } catch (SvcException e) {
            // The old token is still valid; `retryAt` is the time of the next try.
        } finally {
            asking.unlock();
        }
    }

    private Held renew(Held old) {
        int seen = attempts;
        asking.lock();
        try {
            if (held != old && isValid(held)) return held;
            // The thread that held the lock made the request for all waiting threads.
            if (attempts != seen && lastFailure != null) throw lastFailure;
            return ask();
        } finally {
            asking.unlock();
        }
    }

    private Held ask() {
        // The life of the token is counted from before the request, so that a slow response does not extend it.
        long asked = clock.millis();
        try {
            IssuedBearer issued = issue.get();
            Held fresh = new Held(checked(issued.token()), asked, lifeMs(issued));
            failures = 0;
            lastFailure = null;
            retryAt = Long.MIN_VALUE;
            held = fresh;
            return fresh;
        } catch (SvcException e) {
            lastFailure = e;
            failures = Math.min(failures + 1, 6);
            retryAt = clock.millis() + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS << (failures - 1));
            throw e;
        } finally {
            attempts++;
        }
    }

    private static long lifeMs(IssuedBearer issued) {
        return Math.max(0, Math.min(LONGEST_LIFE_S, issued.expiresIn().getSeconds())) * 1000;
    }

    private static String checked(String token) {
        try {
            return Secrets.usable("The bearer token", token);
        } catch (IllegalArgumentException e) {
            throw SvcException.unexpected(200, null);
        }
    }

    /** Does not contain the token. */
    @Override
    public String toString() {
        return "RenewedBearer";
    }
}
