package local.svc.client.junit;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import local.svc.client.ApiObject;
import local.svc.client.LeaseInput;
import local.svc.client.SvcClient;
import org.openqa.selenium.Capabilities;
import org.openqa.selenium.ImmutableCapabilities;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.json.JsonException;

/** Settings of one {@link SvcExtension}, from which its tests get their client, capabilities and lease. */
final class PhoneSource {
    private static final String CAPABILITIES = "SVC_CAPABILITIES";
    private static final String REPORTS = "SVC_REPORTS";

    private final Supplier<SvcClient> clients;
    private final Capabilities wanted;
    private final LeaseInput lease;
    private final boolean mayLease;
    private final Path reports;
    private SvcClient client;

    PhoneSource(Supplier<SvcClient> clients) {
        this(clients, null, null, true, reportsOfEnvironment());
    }

    private PhoneSource(
            Supplier<SvcClient> clients, Capabilities wanted, LeaseInput lease, boolean mayLease, Path reports) {
        this.reports = reports;
        this.clients = clients;
        this.wanted = wanted;
        this.lease = lease;
        this.mayLease = mayLease;
    }

    PhoneSource withClient(Supplier<SvcClient> other) {
        return new PhoneSource(other, wanted, lease, mayLease, reports);
    }

    PhoneSource withCapabilities(Capabilities other) {
        return new PhoneSource(clients, other, lease, mayLease, reports);
    }

    PhoneSource withLease(LeaseInput input) {
        return new PhoneSource(clients, wanted, input, true, reports);
    }

    PhoneSource withoutLease() {
        return new PhoneSource(clients, wanted, null, false, reports);
    }

    PhoneSource withReports(Path folder) {
        return new PhoneSource(clients, wanted, lease, mayLease, folder);
    }

    /** Returns the folder for reports of failed tests, or null if none are saved. */
    Path reports() {
        return reports;
    }

    /** Returns the client, which all tests share, so that they also share its bearer token. */
    synchronized SvcClient client() {
        if (client == null) client = clients.get();
        return client;
    }

    /**
     * Returns whether tests lease their phone. They do if {@code lease} configured a phone. Otherwise they do if the
     * credential has the scope to lease, unless {@code withoutLease} was called.
     */
    boolean leases() {
        if (lease != null || !mayLease) return mayLease;
        ApiObject me = client().me();
        return me.texts("scopes").contains("devices") || me.texts("scopes").contains("admin");
    }

    LeaseInput leaseFor(Capabilities capabilities) {
        if (lease != null) return lease;
        Object udid = capabilities.getCapability("appium:udid");
        if (udid instanceof String) return LeaseInput.udid((String) udid);
        Object platform = capabilities.getCapability("platformName");
        if (platform == null) throw new IllegalStateException("The capabilities have no platformName to lease a phone for");
        return LeaseInput.platform(String.valueOf(platform));
    }

    Capabilities capabilities() {
        if (wanted != null) return wanted;
        String text = System.getenv(CAPABILITIES);
        if (text != null && !text.isBlank()) return new ImmutableCapabilities(parse(text));
        return new ImmutableCapabilities(client().exampleCapabilities().orElseThrow(() -> new IllegalStateException(
            "Set the capabilities with SvcExtension.with(…), or " + CAPABILITIES + " as a JSON object")));
    }

    private static Path reportsOfEnvironment() {
        String folder = System.getenv(REPORTS);
        return folder == null || folder.isBlank() ? null : Path.of(folder);
    }

    private static Map<String, Object> parse(String text) {
        try {
            return new Json().toType(text, Json.MAP_TYPE);
        } catch (JsonException e) {
            // The parser's exception is replaced, because its message repeats the value, which may contain a secret.
            throw new IllegalStateException(CAPABILITIES + " is not a JSON object");
        }
    }
}
