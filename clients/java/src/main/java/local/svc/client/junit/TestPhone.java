package local.svc.client.junit;

import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import java.util.LinkedHashMap;
import java.util.Map;
import local.svc.client.PhoneLease;
import local.svc.client.SvcClient;
import local.svc.client.SvcConnection;
import local.svc.client.SvcException;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.openqa.selenium.Capabilities;
import org.openqa.selenium.WebDriverException;

/** Phone and driver of one test or of one class of tests. Each is obtained when it is first needed. */
final class TestPhone {
    private static final int LONGEST_NAME = 200;

    private final PhoneSource source;
    private final String name;
    private PhoneLease lease;
    private AppiumDriver driver;
    private Throwable failure;

    TestPhone(PhoneSource source, String name) {
        this.source = source;
        this.name = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    }

    SvcClient client() {
        return source.client();
    }

    synchronized PhoneLease lease() {
        return leaseFor(source.capabilities());
    }

    synchronized AppiumDriver driver(Class<?> type) {
        if (driver == null) driver = start(type);
        if (type.isInstance(driver)) return driver;
        throw new ParameterResolutionException(
            "This test already has a " + driver.getClass().getSimpleName() + ", and a phone has one driver");
    }

    synchronized void failed(Throwable cause) {
        if (failure == null) failure = cause;
    }

    /** Ends the session and then the lease, because a phone is not free while a session runs on it. */
    synchronized void giveBack() {
        AppiumDriver ended = driver;
        PhoneLease over = lease;
        driver = null;
        lease = null;
        try {
            if (ended != null) end(ended);
        } finally {
            if (over != null) over.end();
        }
    }

    private AppiumDriver start(Class<?> type) {
        Capabilities capabilities = source.capabilities();
        SvcConnection connection = client().connection();
        if (lease != null || source.leases()) connection = connection.withLease(leaseFor(capabilities));
        AppiumClientConfig config = connection.config();
        AppiumDriver started = DriverTypes.start(type, config, capabilities);
        report(started, "svc: setSessionName", Map.of("name", name));
        return started;
    }

    private PhoneLease leaseFor(Capabilities capabilities) {
        if (lease == null) lease = client().lease(source.leaseFor(capabilities));
        return lease;
    }

    private void end(AppiumDriver ended) {
        String id = String.valueOf(ended.getSessionId());
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("status", failure == null ? "passed" : "failed");
        // The reason contains only the failure's class, because its message repeats the compared values, which may be
        // secret.
        if (failure != null) outcome.put("reason", failure.getClass().getSimpleName());
        report(ended, "svc: setSessionStatus", outcome);
        try {
            ended.quit();
        } catch (WebDriverException e) {
            endFromOutside(id);
        }
    }

    /**
     * Ends the session through the REST API after `quit` failed, for example because the test had already ended the
     * session.
     */
    private void endFromOutside(String id) {
        try {
            client().endSession(id);
        } catch (SvcException e) {
            if (e.status() != 404) throw e;
        }
    }

    /** Runs a command that changes the session's record. Ignores a failure, because it must not fail the test. */
    private static void report(AppiumDriver driver, String command, Map<String, Object> argument) {
        if (driver.getSessionId() == null) return;
        try {
            driver.executeScript(command, argument);
        } catch (WebDriverException e) {
            // The failure is ignored, so the session's record remains unchanged.
        }
    }
}
