package local.svc.client;

import java.time.Clock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A bearer token that is renewed before it expires. At most one request for a token runs at a time. While the old token
 * is valid, other threads continue to use it, and a failed renewal is retried with growing delays. After the old token
 * has expired, all threads wait for the same request and share its result. This class starts no threads.
 */
public final class RenewedBearer {
    /** A token is renewed when a quarter of its life is left, but at most this long (ms) before it expires. */
    private static final long MOST_AHEAD_MS = 300_000;
    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LONGEST_RETRY_MS = 30_000;
    /**
     * Minimum time between two renewals after a refusal, so that a server that refuses every token does not cause
     * endless requests.
     */
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
    /**
     * Clock of the wall time. A token also expires while the machine sleeps, but a monotonic clock can stop then, so
     * the token would seem valid for longer.
     */
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Held held;
    private volatile long retryAt = Long.MIN_VALUE;
    private volatile int attempts;
    /** Number of failed requests since the last success. The lock {@code asking} guards this field and the next two. */
    private int failures;
    private SvcException lastFailure;
    private long refusedAgainAt = Long.MIN_VALUE;

    /**
     * Creates a bearer token, which is requested when it is first needed.
     *
     * @param issue requests a new token, such as {@code client::issueBearer}. The request must use a credential that is
     * valid for longer than the token, such as a key pair
     */
    public RenewedBearer(Supplier<IssuedBearer> issue) {
        this(issue, Clock.systemUTC());
    }

    RenewedBearer(Supplier<IssuedBearer> issue, Clock clock) {
        this.issue = issue;
        this.clock = clock;
    }

    /**
     * Returns a token that is valid now. The token is secret.
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
     * Requests another token after the service refused this one, at most every ten seconds. Returns true if
     * {@link #current()} now returns another token, with which the refused request can be sent again.
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
            // Ignore the failure, because the old token is still valid. The first call after `retryAt` tries again.
        } finally {
            asking.unlock();
        }
    }

    private Held renew(Held old) {
        int seen = attempts;
        asking.lock();
        try {
            if (held != old && isValid(held)) return held;
            // While this thread waited for the lock, another thread requested a token and failed. Throw the same error
            // instead of sending another request.
            if (attempts != seen && lastFailure != null) throw lastFailure;
            return ask();
        } finally {
            asking.unlock();
        }
    }

    private Held ask() {
        // The lifetime is counted from the time before the request, so that a slow response does not make the token
        // seem valid for longer.
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

    /** Returns the class name only, because the token is secret. */
    @Override
    public String toString() {
        return "RenewedBearer";
    }
}
