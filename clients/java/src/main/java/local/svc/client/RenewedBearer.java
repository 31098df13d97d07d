package local.svc.client;

import java.time.Clock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A bearer token that is renewed before it expires. One request for it is in flight at most: while the old token is
 * good, other threads go on with it; once it has expired, they wait and share what comes of that request. A renewal
 * that fails is retried with growing delays while the old token is good. Has no thread of its own.
 */
public final class RenewedBearer {
    /** A token is renewed in the last quarter of its life, at most five minutes ahead of its end. */
    private static final long MOST_AHEAD_MS = 300_000;
    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LONGEST_RETRY_MS = 30_000;
    /** A server that refuses every token does not get a new one asked for with every command. */
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
    /** Of the wall: a token expires while a machine sleeps. */
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Held held;
    private volatile long retryAt = Long.MIN_VALUE;
    private volatile int attempts;
    /* These are the lock's. */
    private int failures;
    private SvcException lastFailure;
    private long refusedAgainAt = Long.MIN_VALUE;

    /** @param issue asks for a token with a credential that outlives it, as {@code client::issueBearer} */
    public RenewedBearer(Supplier<IssuedBearer> issue) {
        this(issue, Clock.systemUTC());
    }

    RenewedBearer(Supplier<IssuedBearer> issue, Clock clock) {
        this.issue = issue;
        this.clock = clock;
    }

    /**
     * A token that is good now. Secret.
     *
     * @throws SvcException when there is none and none can be had
     */
    public String current() {
        Held now = held;
        if (isGood(now)) {
            long time = clock.millis();
            if (time >= now.renewAt && time >= retryAt) renewAhead(now);
            now = held;
        }
        return isGood(now) ? now.token : renew(now).token;
    }

    /**
     * After an answer that refused this token: true when {@link #current()} gives another one now, so that the request
     * may be sent once more. Asks for one at most every ten seconds.
     */
    public boolean renewAfter(String refused) {
        Held now = held;
        if (now == null || !now.token.equals(refused)) return isGood(now);
        asking.lock();
        try {
            if (held != now) return isGood(held);
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

    private boolean isGood(Held token) {
        return token != null && clock.millis() < token.endsAt;
    }

    private void renewAhead(Held old) {
        if (!asking.tryLock()) return;
        try {
            if (held == old) ask();
        } catch (SvcException e) {
            // The old token is still good; `retryAt` says when it is tried again.
        } finally {
            asking.unlock();
        }
    }

    private Held renew(Held old) {
        int seen = attempts;
        asking.lock();
        try {
            if (held != old && isGood(held)) return held;
            // Whoever held the lock asked for all that waited.
            if (attempts != seen && lastFailure != null) throw lastFailure;
            return ask();
        } finally {
            asking.unlock();
        }
    }

    private Held ask() {
        // Its life is counted from before the request: an answer that took long does not stretch it.
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

    /** Without the token. */
    @Override
    public String toString() {
        return "RenewedBearer";
    }
}
