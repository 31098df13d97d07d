package local.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.appium.java_client.AppiumDriver;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import local.svc.client.junit.SvcExtension;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.ImmutableCapabilities;
import org.openqa.selenium.NoSuchSessionException;

/**
 * Tests the client with a real lab that checks every command, and an API key with all scopes. Run them with {@code mvn
 * test -DexcludedGroups=} and SVC_URL, SVC_ACCESS_KEY and SVC_TOKEN set.
 */
@Tag("lab")
@ExtendWith(SvcExtension.class)
class LabTest {
    @Test
    @DisplayName("(contract 2, leases; specification 5.7.2) a test has a leased phone and drives it")
    void drives(AppiumDriver driver, PhoneLease lease, SvcClient svc) {
        assertTrue(driver.getPageSource().length() > 0);
        ApiObject session = session(svc, driver);
        assertEquals(Optional.of("running"), session.text("status"));
        assertEquals(Optional.of(lease.udid()), session.object("device").flatMap(device -> device.text("udid")));
        assertTrue(session.text("name").orElse("").startsWith("LabTest (contract 2"), session.text("name").toString());
        assertEquals(svc.me().text("id"), session.object("owner").flatMap(owner -> owner.text("id")));
        ApiObject device = svc.request("GET", "/devices").list().stream()
            .filter(each -> each.text("udid").equals(Optional.of(lease.udid()))).findFirst().orElseThrow();
        assertTrue(device.object("lease").isPresent());
        assertTrue(leases(svc).stream().anyMatch(each -> each.text("leaseId").equals(Optional.of(lease.leaseId()))));
        assertTrue(svc.sessionReport(driver.getSessionId().toString()).contains("<html"));
        assertFalse(lease.extend(1).isBefore(java.time.Instant.now()));
    }

    @Test
    @DisplayName("(specification 5.7.4) without its headers no command reaches the session")
    void refusesOthers(AppiumDriver driver, SvcClient svc) throws Exception {
        String source = svc.connection().address() + "/session/" + driver.getSessionId() + "/source";
        int status = java.net.http.HttpClient.newHttpClient().send(
            java.net.http.HttpRequest.newBuilder(java.net.URI.create(source)).build(),
            java.net.http.HttpResponse.BodyHandlers.discarding()).statusCode();
        assertEquals(404, status);
        svc.endSession(driver.getSessionId().toString());
        assertThrows(NoSuchSessionException.class, driver::getPageSource);
    }

    @Test
    @DisplayName("(contract 2, leases) whoever brings the lease gets its phone; the pair itself may be the header")
    void brings(SvcClient svc) {
        String free = svc.request("GET", "/devices").list().stream().filter(each -> each.text("status").equals(Optional.of("free")))
            .reduce((a, b) -> b).flatMap(each -> each.text("udid")).orElseThrow();
        try (PhoneLease lease = svc.lease(LeaseInput.udid(free).minutes(1))) {
            SvcException busy = assertThrows(SvcException.class, () -> svc.lease(LeaseInput.udid(free)));
            assertEquals("device_busy", busy.code());
            assertTrue(busy.requestId().isPresent());
            Map<String, Object> example = svc.exampleCapabilities().orElseThrow();
            AppiumDriver driver = new AppiumDriver(svc.fixedConnection().withLease(lease).config(), new ImmutableCapabilities(example));
            try {
                assertEquals(Optional.of(free), session(svc, driver).object("device").flatMap(each -> each.text("udid")));
                assertTrue(driver.getPageSource().length() > 0);
            } finally {
                driver.quit();
            }
        }
        assertTrue(leases(svc).stream().noneMatch(each -> each.text("udid").equals(Optional.of(free))));
    }

    @Test
    @DisplayName("(contract 2) any route can be called, also with an issued bearer token")
    void rest(SvcClient svc) {
        Map<String, ?> body = Map.of("name", "made by a test", "scopes", List.of("read"));
        ApiObject token = svc.request("POST", "/profile/tokens").body(body).object();
        assertNull(svc.request("DELETE", "/profile/tokens/{id}").param("id", token.text("id").orElseThrow()).send());
        SvcRequest unknown = svc.request("POST", "/profile/tokens").body(Map.of("name", "x", "scopes", List.of("all")));
        assertEquals("unknown_scope", assertThrows(SvcException.class, unknown::object).code());
        SvcClient bearer = SvcClient.builder().url(svc.url()).bearer(svc.issueBearer("svc-rest").token()).build();
        assertEquals(svc.me().text("id"), bearer.me().text("id"));
    }

    private static ApiObject session(SvcClient svc, AppiumDriver driver) {
        return svc.request("GET", "/session/{id}").param("id", driver.getSessionId().toString()).object();
    }

    private static List<ApiObject> leases(SvcClient svc) {
        return svc.request("GET", "/leases").list();
    }
}
