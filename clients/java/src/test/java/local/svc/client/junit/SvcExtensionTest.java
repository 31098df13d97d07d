package local.svc.client.junit;

import static local.svc.client.FakeService.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.appium.java_client.AppiumDriver;
import io.appium.java_client.android.AndroidDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import local.svc.client.FakeService;
import local.svc.client.LeaseInput;
import local.svc.client.PhoneLease;
import local.svc.client.SvcClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.openqa.selenium.ImmutableCapabilities;
import org.openqa.selenium.WebDriver;

/** Runs test classes that use the extension with JUnit and a server that responds as a test configures it. */
class SvcExtensionTest {
    private static FakeService service;
    private final AtomicInteger sessions = new AtomicInteger();
    private final AtomicInteger leases = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        service.on("GET /svc/api/auth/me", 200, "{\"scopes\":[\"read\",\"sessions\",\"devices\"]}");
        service.on("GET /svc/api/capabilities", 200, "{\"webDriver\":{\"basePath\":\"\",\"example\":{\"platformName\":\"Fake\"}}}");
        service.on("POST /svc/api/auth/token", 200, "{\"token\":\"b\",\"expiresIn\":3600,\"audience\":\"svc-rest\",\"scopes\":[]}");
        service.on("POST /svc/api/leases", request -> {
            String id = "l-" + leases.incrementAndGet();
            service.on("DELETE /svc/api/leases/" + id, 204, "");
            return answer(201, "{\"leaseId\":\"" + id + "\",\"leaseToken\":\"x\",\"udid\":\"p-1\",\"expiresAt\":\"2026-01-01T00:30:00.000Z\"}");
        });
        service.on("POST /session", request -> {
            String id = "s-" + sessions.incrementAndGet();
            service.on("POST /session/" + id + "/execute/sync", 200, "{\"value\":{\"recorded\":true}}");
            service.on("DELETE /session/" + id, 200, "{\"value\":null}");
            return answer(200, "{\"value\":{\"sessionId\":\"" + id + "\",\"capabilities\":{\"platformName\":\"Fake\"}}}");
        });
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private static EngineExecutionResults run(Class<?> type) {
        return EngineTestKit.engine("junit-jupiter").selectors(selectClass(type)).execute();
    }

    private static List<String> changes() {
        return service.lines().stream()
            .filter(line -> !line.startsWith("GET ") && !line.contains("/auth/") && !line.contains("/execute/"))
            .collect(Collectors.toList());
    }

    private static List<Object> reported() {
        return service.received().stream().filter(each -> each.line.endsWith("/execute/sync"))
            .map(each -> each.json().get("script") + " " + new TreeMap<>((Map<?, ?>) ((List<?>) each.json().get("args")).get(0)))
            .collect(Collectors.toList());
    }

    static class Each {
        @RegisterExtension
        final SvcExtension phones = new SvcExtension().client(service::client);

        @Test
        void passes(AppiumDriver driver, PhoneLease lease, SvcClient client) {
            assertEquals("p-1", lease.udid());
            assertNotNull(driver.getSessionId());
            assertNotNull(client);
        }
    }

    @Test
    @DisplayName("(contract 2, leases) a test is given a leased phone; its session is ended before the phone is given back")
    void gives() {
        run(Each.class).testEvents().assertStatistics(stats -> stats.succeeded(1));
        assertEquals(List.of("POST /svc/api/leases", "POST /session", "DELETE /session/s-1", "DELETE /svc/api/leases/l-1"), changes());
        assertEquals(List.of("svc: setSessionName {name=Each passes(AppiumDriver, PhoneLease, SvcClient)}",
            "svc: setSessionStatus {status=passed}"), reported());
        Map<String, Object> lease = service.received().stream()
            .filter(each -> each.line.equals("POST /svc/api/leases")).findFirst().orElseThrow().json();
        assertEquals(Map.of("platform", "Fake", "minutes", 30L), lease);
    }

    static class Failing {
        @RegisterExtension
        static final SvcExtension PHONES = SvcExtension.with(new ImmutableCapabilities("platformName", "Fake", "appium:udid", "p-7"))
            .client(() -> service.client());

        @Test
        void fails(WebDriver driver) {
            throw new IllegalStateException("holds what was compared");
        }

        @Test
        void endsItself(AndroidDriver driver) {
            driver.quit();
        }
    }

    @Test
    @DisplayName("a test that fails is told of, by the class of its failure; a session it ended itself is no error")
    void tellsFailures() {
        run(Failing.class).testEvents().assertStatistics(stats -> stats.succeeded(1).failed(1));
        assertTrue(reported().contains("svc: setSessionStatus {reason=IllegalStateException, status=failed}"), reported().toString());
        assertEquals(2, changes().stream().filter(line -> line.startsWith("DELETE /svc/api/leases/")).count());
        assertEquals(2, changes().stream().filter(line -> line.startsWith("DELETE /session/")).count());
        assertTrue(service.received().stream().filter(each -> each.line.equals("POST /svc/api/leases"))
            .allMatch(each -> each.json().equals(Map.of("udid", "p-7", "minutes", 30L))));
    }

    static class Shared {
        @RegisterExtension
        static final SvcExtension PHONES = new SvcExtension().client(() -> service.client()).lease(LeaseInput.tagged("shelf").minutes(5));
        static AppiumDriver shared;

        @BeforeAll
        static void start(AppiumDriver driver) {
            shared = driver;
        }

        @Test
        void one(AppiumDriver driver) {
            assertSame(shared, driver);
        }

        @Test
        void two(AppiumDriver driver) {
            assertSame(shared, driver);
            throw new AssertionError();
        }

        @Test
        void other(AndroidDriver driver) {}
    }

    @Test
    @DisplayName("what @BeforeAll asks for is shared by the class, and ended after it")
    void shares() {
        EngineExecutionResults results = run(Shared.class);
        results.testEvents().assertStatistics(stats -> stats.succeeded(1).failed(2));
        assertEquals(List.of("POST /svc/api/leases", "POST /session", "DELETE /session/s-1", "DELETE /svc/api/leases/l-1"), changes());
        assertTrue(reported().get(reported().size() - 1).toString().equals("svc: setSessionStatus {reason=AssertionError, status=failed}"), reported().toString());
    }

    static class WithoutRight {
        @RegisterExtension
        final SvcExtension phones = new SvcExtension().client(service::client);

        @Test
        void passes(AppiumDriver driver) {}
    }

    @Test
    @DisplayName("(specification 5.4.2) with a credential that may not lease, the create picks a phone")
    void picks() {
        service.on("GET /svc/api/auth/me", 200, "{\"scopes\":[\"read\",\"sessions\"]}");
        run(WithoutRight.class).testEvents().assertStatistics(stats -> stats.succeeded(1));
        assertEquals(List.of("POST /session", "DELETE /session/s-1"), changes());
    }

    @Test
    @DisplayName("(contract 2, leases) a phone is given back when no session starts on it, and when one cannot be ended")
    void givesBack() {
        service.on("POST /session", 500, "{\"value\":{\"error\":\"session not created\",\"message\":\"m\",\"stacktrace\":\"\"}}");
        run(WithoutRight.class).testEvents().assertStatistics(stats -> stats.failed(1));
        assertEquals("DELETE /svc/api/leases/l-1", changes().get(changes().size() - 1));
        service.on("POST /session", 200, "{\"value\":{\"sessionId\":\"stuck\",\"capabilities\":{\"platformName\":\"Fake\"}}}");
        service.on("DELETE /session/stuck", 500, "{\"value\":{\"error\":\"unknown error\",\"message\":\"m\",\"stacktrace\":\"\"}}");
        service.on("DELETE /svc/api/session/stuck", 204, "");
        run(WithoutRight.class).testEvents().assertStatistics(stats -> stats.succeeded(1));
        List<String> lines = changes();
        assertEquals(List.of("DELETE /session/stuck", "DELETE /svc/api/session/stuck", "DELETE /svc/api/leases/l-2"),
            lines.subList(lines.size() - 3, lines.size()));
    }

    static class Unleased {
        @RegisterExtension
        final SvcExtension phones = new SvcExtension().client(service::client).withoutLease();

        @Test
        void passes(AppiumDriver driver) {}
    }

    @Test
    @DisplayName("nothing is leased when the test says so, and no phone is held when the lab has none to give")
    void leasesNothing() {
        run(Unleased.class).testEvents().assertStatistics(stats -> stats.succeeded(1));
        assertEquals(List.of("POST /session", "DELETE /session/s-1"), changes());
        service.on("POST /svc/api/leases", 409, "{\"error\":\"device_busy\"}");
        run(Each.class).testEvents().assertStatistics(stats -> stats.failed(1));
        assertEquals("POST /svc/api/leases", changes().get(changes().size() - 1));
    }

    static class WithReports {
        static Path folder;

        @RegisterExtension
        final SvcExtension phones = new SvcExtension().client(service::client).reports(folder);

        @Test
        void passes(AppiumDriver driver) {
            assertNotNull(driver.getSessionId());
        }

        @Test
        void fails(AppiumDriver driver) {
            throw new IllegalStateException("no such button");
        }
    }

    @Test
    @DisplayName("(contract 11) the report of a failed test is saved and named in the results")
    void reports(@TempDir Path folder) throws IOException {
        WithReports.folder = folder.resolve("reports");
        for (String id : List.of("s-1", "s-2")) {
            service.on("GET /svc/api/session/" + id + "/report", 200, "<!doctype html>");
        }
        EngineExecutionResults results = run(WithReports.class);
        results.testEvents().assertStatistics(tests -> tests.succeeded(1).failed(1).reportingEntryPublished(1));
        try (Stream<Path> files = Files.list(WithReports.folder)) {
            List<Path> saved = files.collect(Collectors.toList());
            assertEquals(1, saved.size());
            assertTrue(saved.get(0).getFileName().toString().matches("svc-session-s-[12]\\.html"));
            assertEquals("<!doctype html>", Files.readString(saved.get(0)));
        }
    }

    @Test
    @DisplayName("(contract 11) a report that cannot be saved changes no result")
    void refusedReports(@TempDir Path folder) {
        WithReports.folder = folder.resolve("reports");
        run(WithReports.class).testEvents()
            .assertStatistics(tests -> tests.succeeded(1).failed(1).reportingEntryPublished(0));
    }
}
