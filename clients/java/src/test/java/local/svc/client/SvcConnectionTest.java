package local.svc.client;

import static local.svc.client.FakeService.ACCESS_KEY;
import static local.svc.client.FakeService.TOKEN;
import static local.svc.client.FakeService.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import io.appium.java_client.android.AndroidDriver;
import io.appium.java_client.android.options.UiAutomator2Options;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.ImmutableCapabilities;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.json.Json;

/** Tests real drivers of java-client with a server that responds as a test configures it. */
class SvcConnectionTest {
    private static final ImmutableCapabilities WANTED = new ImmutableCapabilities("platformName", "Fake", "appium:automationName", "Fake");
    private static final String CREATED = "{\"value\":{\"sessionId\":\"s-1\",\"capabilities\":{\"platformName\":\"Fake\"}}}";

    private FakeService service;
    private final AtomicInteger bearers = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        service.on("GET /svc/api/capabilities", 200, "{\"version\":\"2.17\",\"webDriver\":{\"basePath\":\"/wd/hub\",\"example\":null}}");
        service.on("POST /svc/api/auth/token", request -> answer(200,
            "{\"token\":\"bearer-" + bearers.incrementAndGet() + "\",\"expiresIn\":3600,\"audience\":\"svc-rest\",\"scopes\":[]}"));
        service.on("POST /wd/hub/session", 200, CREATED);
        service.on("GET /wd/hub/session/s-1/source", 200, "{\"value\":\"<app/>\"}");
        service.on("DELETE /wd/hub/session/s-1", 200, "{\"value\":null}");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private List<FakeService.Received> sent(String line) {
        return service.received().stream().filter(each -> each.line.equals(line)).collect(Collectors.toList());
    }

    @Test
    @DisplayName("(specification 5.4.1, 5.7.2, 5.5.2) the create carries the pair and every command a bearer token")
    void carries() {
        AppiumDriver driver = new AppiumDriver(service.client().connection().config(), WANTED);
        assertEquals("<app/>", driver.getPageSource());
        driver.quit();
        FakeService.Received create = sent("POST /wd/hub/session").get(0);
        assertEquals("true", create.headers.get("x-auto-is-sensitive"));
        assertEquals("Bearer bearer-1", create.headers.get("authorization"));
        assertTrue(create.headers.containsKey("x-idempotency-key"), "java-client's own filters stay");
        Object always = ((Map<?, ?>) create.json().get("capabilities")).get("alwaysMatch");
        assertEquals(Map.of("accessKey", ACCESS_KEY, "token", TOKEN), ((Map<?, ?>) always).get("svc:options"));
        for (String line : List.of("GET /wd/hub/session/s-1/source", "DELETE /wd/hub/session/s-1")) {
            assertEquals("Bearer bearer-1", sent(line).get(0).headers.get("authorization"));
            assertNull(sent(line).get(0).headers.get("x-svc-token"));
        }
        assertEquals(1, bearers.get());
    }

    @Test
    @DisplayName("(contract 10.3) in a CI job the create carries the session token and every command the access token")
    void carriesJobTokens() {
        SvcClient client = SvcClient.builder().url(service.url()).bearer("job").sessionToken("create").build();
        AppiumDriver driver = new AppiumDriver(client.connection().config(), WANTED);
        assertEquals("<app/>", driver.getPageSource());
        FakeService.Received create = sent("POST /wd/hub/session").get(0);
        Object always = ((Map<?, ?>) create.json().get("capabilities")).get("alwaysMatch");
        assertEquals(Map.of("sessionToken", "create"), ((Map<?, ?>) always).get("svc:options"));
        for (FakeService.Received each : service.received()) assertEquals("Bearer job", each.headers.get("authorization"));
        assertEquals(0, bearers.get());
    }

    @Test
    @DisplayName("(contract 2, leases) a driver of a lease brings it along, and keeps the options of a test")
    void brings() {
        service.on("POST /svc/api/leases", 201, "{\"leaseId\":\"l-1\",\"leaseToken\":\"svcl_x\",\"udid\":\"p-1\",\"expiresAt\":\"2026-01-01T00:30:00.000Z\"}");
        PhoneLease lease = service.client().lease(LeaseInput.platform("Fake"));
        UiAutomator2Options options = new UiAutomator2Options();
        options.setCapability("svc:options", Map.of("team", "Blue"));
        new AndroidDriver(lease.connection().config(), options);
        Map<?, ?> capabilities = (Map<?, ?>) sent("POST /wd/hub/session").get(0).json().get("capabilities");
        assertEquals(Map.of("team", "Blue", "accessKey", ACCESS_KEY, "token", TOKEN, "leaseId", "l-1", "leaseToken", "svcl_x"),
            ((Map<?, ?>) ((List<?>) capabilities.get("firstMatch")).get(0)).get("svc:options"));
    }

    @Test
    @DisplayName("(specification 5.7) nothing is attached to creates when that is switched off; the pair itself can be the header")
    void attachesNothing() {
        SvcClient client = SvcClient.builder().url(service.url()).keyPair(ACCESS_KEY, TOKEN).attachSessionCredentials(false).build();
        new AppiumDriver(client.fixedConnection().config(), WANTED);
        FakeService.Received create = sent("POST /wd/hub/session").get(0);
        assertFalse(create.body.contains("svc:options"), create.body);
        assertEquals(TOKEN, create.headers.get("x-svc-token"));
        assertNull(create.headers.get("authorization"));
        assertEquals(0, bearers.get());
    }

    @Test
    @DisplayName("(specification 5.3) a command refused with 401 is sent once more with a new token, and the create too")
    void repeatsOnce() {
        AtomicInteger refusals = new AtomicInteger();
        service.on("POST /wd/hub/session", request -> refusals.getAndIncrement() == 0 ? answer(401, "") : answer(200, CREATED));
        AppiumDriver driver = new AppiumDriver(service.client().connection().config(), WANTED);
        List<FakeService.Received> creates = sent("POST /wd/hub/session");
        assertEquals(List.of("Bearer bearer-1", "Bearer bearer-2"), creates.stream().map(each -> each.headers.get("authorization")).collect(Collectors.toList()));
        assertEquals(creates.get(0).body, creates.get(1).body);
        service.on("GET /wd/hub/session/s-1/source", 401, "");
        assertThrows(WebDriverException.class, driver::getPageSource);
        assertThrows(WebDriverException.class, driver::getPageSource);
        assertEquals(2, sent("GET /wd/hub/session/s-1/source").size(), "no token is asked for again so soon");
        assertEquals(2, bearers.get());
    }

    @Test
    @DisplayName("(specification 5.7.4) no other refusal is repeated: the command may have been done")
    void repeatsNothingElse() {
        AppiumDriver driver = new AppiumDriver(service.client().connection().config(), WANTED);
        String body = "{\"value\":{\"error\":\"unknown error\",\"message\":\"m\",\"stacktrace\":\"\"}}";
        int sent = 0;
        for (int status : new int[] {400, 403, 404, 408, 409, 429, 500, 502, 503, 504}) {
            service.on("GET /wd/hub/session/s-1/source", status, body);
            assertThrows(WebDriverException.class, driver::getPageSource);
            assertEquals(++sent, sent("GET /wd/hub/session/s-1/source").size(), "status " + status);
        }
        assertEquals(1, bearers.get());
    }

    @Test
    @DisplayName("(specification 5.1) a create that fails, a driver and the finest log of Selenium tell no secret")
    void tellsNoSecret() {
        StringBuffer logged = new StringBuffer();
        Handler handler = new StreamHandler() {
            @Override
            public synchronized void publish(LogRecord entry) {
                logged.append(new SimpleFormatter().format(entry));
            }
        };
        handler.setLevel(Level.ALL);
        Logger selenium = Logger.getLogger("org.openqa.selenium");
        Level usual = selenium.getLevel();
        selenium.setLevel(Level.ALL);
        selenium.addHandler(handler);
        try {
            failAndDrive(logged);
        } finally {
            selenium.removeHandler(handler);
            selenium.setLevel(usual);
        }
    }

    private void failAndDrive(StringBuffer logged) {
        service.on("POST /wd/hub/session", 500, "{\"value\":{\"error\":\"session not created\",\"message\":\"no phone\",\"stacktrace\":\"\"}}");
        AppiumClientConfig config = service.client().connection().config();
        WebDriverException failed = assertThrows(WebDriverException.class, () -> new AppiumDriver(config, WANTED));
        StringWriter trace = new StringWriter();
        failed.printStackTrace(new PrintWriter(trace));
        assertTrue(trace.toString().contains("no phone"), trace.toString());
        service.on("POST /wd/hub/session", 200, CREATED);
        AppiumDriver driver = new AppiumDriver(config, WANTED);
        driver.getPageSource();
        assertTrue(logged.toString().contains("newSession"), "the finest log is looked at");
        String all = logged.toString() + trace + config + driver + driver.getCapabilities() + new Json().toJson(driver.getCapabilities());
        assertFalse(all.contains(TOKEN) || all.contains(ACCESS_KEY) || all.contains("bearer-"), all);
    }

    @Test
    @DisplayName("no driver is configured for an address that redirects: Selenium would follow, with the credentials")
    void startsNoDriverThere() throws IOException {
        try (FakeService other = new FakeService()) {
            service.on("GET /svc/api/capabilities", request -> answer(308, "", Map.of("Location", other.url() + "/svc/api/capabilities")));
            SvcException refused = assertThrows(SvcException.class, () -> service.client().connection().config());
            assertTrue(refused.getMessage().contains("redirect"), refused.getMessage());
            assertEquals(List.of(), other.lines());
        }
    }

    @Test
    @DisplayName("when no token can be had, a command is not sent and the cause is told")
    void sendsNothingWithout() {
        service.on("POST /svc/api/auth/token", 401, "{\"error\":\"invalid credentials\"}");
        AppiumClientConfig config = service.client().connection().config();
        WebDriverException failed = assertThrows(WebDriverException.class, () -> new AppiumDriver(config, WANTED));
        Throwable cause = failed;
        while (cause.getCause() != null) cause = cause.getCause();
        assertEquals("invalid credentials", ((SvcException) cause).code());
        assertEquals(List.of(), sent("POST /wd/hub/session"));
    }

    @Test
    @DisplayName("a test's own configuration stays, save where the credentials go")
    void keepsConfiguration() {
        AppiumClientConfig base = AppiumClientConfig.defaultConfig().readTimeout(Duration.ofSeconds(7)).directConnect(true)
            .baseUri(URI.create("https://elsewhere.example")).withFilter(next -> request -> next.execute(request.setHeader("x-own", "1")));
        AppiumClientConfig config = service.client().connection().config(base);
        assertEquals(Duration.ofSeconds(7), config.readTimeout());
        assertEquals(URI.create(service.url() + "/wd/hub"), config.baseUri());
        assertFalse(config.isDirectConnectEnabled());
        new AppiumDriver(config, WANTED);
        assertEquals("1", sent("POST /wd/hub/session").get(0).headers.get("x-own"));
        for (String path : List.of("@evil.example", "//evil.example", "/a?b", "/a#b", "/a b", ":80")) {
            service.on("GET /svc/api/capabilities", 200, new Json().toJson(Map.of("webDriver", Map.of("basePath", path))));
            assertThrows(SvcException.class, () -> service.client().connection().config(), path);
        }
    }
}
