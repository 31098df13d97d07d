package local.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RenewedBearerTest {
    private static final Set<Thread.State> WAITING = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile long life = 3600;
    private volatile boolean fails;
    private final RenewedBearer bearer = new RenewedBearer(this::issue, clockOf());

    private IssuedBearer issue() {
        int count = asked.incrementAndGet();
        if (fails) throw SvcException.unreachable("away " + count);
        return new IssuedBearer(Map.of("token", "t" + count, "expiresIn", life));
    }

    private void pass(long seconds) {
        now.addAndGet(seconds * 1000);
    }

    @Test
    @DisplayName("(specification 5.3) a token is renewed in its last quarter, at most five minutes ahead of its end")
    void renewsAhead() {
        assertEquals("t1", bearer.current());
        pass(3299);
        assertEquals("t1", bearer.current());
        pass(1);
        life = 8;
        assertEquals("t2", bearer.current());
        pass(5);
        assertEquals("t2", bearer.current());
        pass(1);
        assertEquals("t3", bearer.current());
    }

    @Test
    @DisplayName("(specification 5.3) its life counts from before it was asked for")
    void countsFromAsking() {
        RenewedBearer slow = new RenewedBearer(() -> {
            pass(4);
            return new IssuedBearer(Map.of("token", "s" + asked.incrementAndGet(), "expiresIn", 5L));
        }, clockOf());
        assertEquals("s1", slow.current());
        pass(1);
        assertEquals("s2", slow.current());
    }

    private Clock clockOf() {
        return new Clock() {
            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(now.get());
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    @Test
    @DisplayName("a renewal that fails is tried again after 1, 2, 4, … 30 s while the old token is good, then every time")
    void backsOff() {
        bearer.current();
        pass(3300);
        fails = true;
        List<Long> at = new ArrayList<>();
        for (long second = 0; second < 299; second++) {
            int before = asked.get();
            assertEquals("t1", bearer.current());
            if (asked.get() > before) at.add(second);
            pass(1);
        }
        assertEquals(List.of(0L, 1L, 3L, 7L, 15L, 31L, 61L), at.subList(0, 7));
        pass(1);
        int before = asked.get();
        assertThrows(SvcException.class, bearer::current);
        assertThrows(SvcException.class, bearer::current);
        assertEquals(before + 2, asked.get());
        fails = false;
        assertEquals("t" + (before + 3), bearer.current());
    }

    @Test
    @DisplayName("a token that was refused is replaced once, at most every ten seconds, and by one thread")
    void replacesRefused() {
        assertEquals("t1", bearer.current());
        assertTrue(bearer.renewAfter("t1"));
        assertTrue(bearer.renewAfter("t1"), "it was replaced already");
        assertEquals("t2", bearer.current());
        assertFalse(bearer.renewAfter("t2"), "a server that refuses every token");
        assertEquals(2, asked.get());
        pass(10);
        fails = true;
        assertFalse(bearer.renewAfter("t2"));
        assertEquals("t2", bearer.current());
    }

    @Test
    @DisplayName("threads without a token share one request, and what comes of it")
    void shares() throws Exception {
        for (boolean failing : new boolean[] {false, true}) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger requests = new AtomicInteger();
            RenewedBearer shared = new RenewedBearer(() -> {
                requests.incrementAndGet();
                inside.countDown();
                await(go);
                if (failing) throw SvcException.unreachable("away");
                return new IssuedBearer(Map.of("token", "one", "expiresIn", 3600L));
            }, clockOf());
            ExecutorService threads = Executors.newFixedThreadPool(8);
            try {
                List<Thread> waiting = new ArrayList<>();
                List<Future<Object>> results = new ArrayList<>();
                for (int each = 0; each < 8; each++) {
                    results.add(threads.submit(() -> {
                        synchronized (waiting) {
                            waiting.add(Thread.currentThread());
                        }
                        try {
                            return shared.current();
                        } catch (SvcException e) {
                            return e;
                        }
                    }));
                }
                await(inside);
                while (countWaiting(waiting) < 8) Thread.onSpinWait();
                go.countDown();
                Object first = results.get(0).get(30, TimeUnit.SECONDS);
                for (Future<Object> result : results) assertSame(first, result.get(30, TimeUnit.SECONDS));
                assertEquals(failing, first instanceof SvcException);
                assertEquals(1, requests.get());
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Test
    @DisplayName("while one thread renews ahead, others go on with the old token")
    void goesOn() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RenewedBearer shared = new RenewedBearer(() -> {
            if (asked.incrementAndGet() == 2) {
                inside.countDown();
                await(go);
            }
            return new IssuedBearer(Map.of("token", "t" + asked.get(), "expiresIn", 3600L));
        }, clockOf());
        shared.current();
        pass(3400);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<String> renewing = threads.submit(shared::current);
            await(inside);
            assertEquals("t1", shared.current());
            go.countDown();
            assertEquals("t2", renewing.get(30, TimeUnit.SECONDS));
            assertEquals("t2", shared.current());
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @DisplayName("a token that could not stand in a header is no token")
    void checksTheToken() {
        RenewedBearer odd = new RenewedBearer(() -> new IssuedBearer(Map.of("token", "a\r\nb", "expiresIn", 1L)));
        assertEquals(SvcException.UNEXPECTED_ANSWER, assertThrows(SvcException.class, odd::current).code());
        RenewedBearer endless = new RenewedBearer(() -> new IssuedBearer(Map.of("token", "a", "expiresIn", Long.MAX_VALUE)));
        assertEquals("a", endless.current());
        RenewedBearer none = new RenewedBearer(() -> new IssuedBearer(Map.of()));
        assertEquals(SvcException.UNEXPECTED_ANSWER, assertThrows(SvcException.class, none::current).code());
    }

    private static long countWaiting(List<Thread> threads) {
        synchronized (threads) {
            return threads.stream().filter(each -> WAITING.contains(each.getState())).count();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
