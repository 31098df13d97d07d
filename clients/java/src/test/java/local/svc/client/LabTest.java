package local.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.appium.java_client.AppiumDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import local.svc.client.junit.SvcExtension;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
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
        DriverSession session = svc.session(driver.getSessionId().toString());
        assertEquals("running", session.status());
        assertEquals(Optional.of(lease.udid()), session.device().flatMap(device -> device.text("udid")));
        assertTrue(session.name().orElse("").startsWith("LabTest (contract 2"), session.name().toString());
        assertEquals(svc.me().text("id"), session.owner().flatMap(owner -> owner.text("id")));
        Device device = svc.devices().stream().filter(each -> each.udid().equals(lease.udid())).findFirst().orElseThrow();
        assertTrue(device.lease().isPresent());
        assertTrue(svc.leases().stream().anyMatch(each -> each.text("leaseId").equals(Optional.of(lease.leaseId()))));
        assertFalse(svc.sessionLog(session.id()).isEmpty());
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
        String free = svc.devices().stream().filter(each -> each.status().equals("free")).reduce((a, b) -> b).orElseThrow().udid();
        try (PhoneLease lease = svc.lease(LeaseInput.udid(free).minutes(1))) {
            SvcException busy = assertThrows(SvcException.class, () -> svc.lease(LeaseInput.udid(free)));
            assertEquals("device_busy", busy.code());
            assertTrue(busy.requestId().isPresent());
            Map<String, Object> example = svc.exampleCapabilities().orElseThrow();
            AppiumDriver driver = new AppiumDriver(svc.fixedConnection().withLease(lease).config(), new ImmutableCapabilities(example));
            try {
                assertEquals(Optional.of(free), svc.session(driver.getSessionId().toString()).device().flatMap(each -> each.text("udid")));
                assertTrue(driver.getPageSource().length() > 0);
            } finally {
                driver.quit();
            }
        }
        assertTrue(svc.leases().stream().noneMatch(each -> each.text("udid").equals(Optional.of(free))));
    }

    @Test
    @DisplayName("(contract 2) apps, tokens and tickets")
    void rest(SvcClient svc, @TempDir Path folder) throws IOException {
        LibraryApp app = svc.uploadApp(Files.writeString(folder.resolve("ü.apk"), "PK".repeat(100_000)));
        assertEquals(200_000, app.size());
        assertEquals("ü.apk", app.name());
        assertTrue(svc.apps().stream().anyMatch(each -> each.id().equals(app.id())));
        svc.deleteApp(app.id());
        assertEquals("not_found", assertThrows(SvcException.class, () -> svc.deleteApp(app.id())).code());
        ApiObject token = svc.createToken("made by a test", List.of("read"), null);
        assertTrue(names(svc).contains("made by a test"));
        svc.revokeToken(token.text("id").orElseThrow());
        assertFalse(names(svc).contains("made by a test"));
        assertEquals(60, svc.streamTicket(svc.devices().get(0).udid()).expiresIn().getSeconds());
        assertEquals(60, svc.eventsTicket().expiresIn().getSeconds());
        assertEquals("unknown_scope", assertThrows(SvcException.class, () -> svc.createToken("x", List.of("all"), null)).code());
        SvcClient bearer = SvcClient.builder().url(svc.url()).bearer(svc.issueBearer("svc-rest").token()).build();
        assertEquals(svc.me().text("id"), bearer.me().text("id"));
    }

    private static List<String> names(SvcClient svc) {
        return svc.tokens().stream().map(each -> each.text("name").orElse("")).collect(Collectors.toList());
    }
}
