package local.svc.client.junit;

import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import local.svc.client.PhoneLease;
import local.svc.client.SvcClient;
import local.svc.client.SvcConnection;
import local.svc.client.SvcException;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.openqa.selenium.Capabilities;
import org.openqa.selenium.WebDriverException;

/**
 * Phone and driver of one test, or of all tests of one class. The phone is leased, and the driver started, when a test
 * first needs it.
 */
final class TestPhone {
    private static final int LONGEST_NAME = 200;

    private final PhoneSource source;
    private final String name;
    private PhoneLease lease;
    private AppiumDriver driver;
    private Throwable failure;
    private String endedSession;

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

    /** Ends the session first and then the lease, because the phone is not free until its session has ended. */
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

    /**
     * Saves the report of the ended session if its test failed and a folder is configured. If that fails, the result of
     * the test does not change, and a message is written to standard error.
     *
     * @return the path of the file, or empty if none was saved
     */
    synchronized Optional<String> saveReport() {
        Path folder = source.reports();
        if (folder == null || failure == null || endedSession == null) return Optional.empty();
        // A driver can choose any session id, so replace the characters that are not safe in a file name.
        String part = endedSession.replaceAll("[^A-Za-z0-9._-]", "_");
        Path file = folder.resolve("svc-session-" + part.substring(0, Math.min(part.length(), 100)) + ".html");
        try {
            String report = client().sessionReport(endedSession);
            Files.createDirectories(folder);
            Files.writeString(file, report);
            return Optional.of(file.toString());
        } catch (IOException | SvcException e) {
            System.err.println("The report of the session could not be saved: " + e.getMessage());
            return Optional.empty();
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
        endedSession = id;
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("status", failure == null ? "passed" : "failed");
        // The reason names only the class of the failure. The message is left out, because the message of a failed
        // assertion contains the compared values, which may be secret.
        if (failure != null) outcome.put("reason", failure.getClass().getSimpleName());
        report(ended, "svc: setSessionStatus", outcome);
        try {
            ended.quit();
        } catch (WebDriverException e) {
            endFromOutside(id);
        }
    }

    /**
     * Ends the session through the REST API. Used if the driver's `quit` fails, for example because the test has
     * already ended the session.
     */
    private void endFromOutside(String id) {
        try {
            client().endSession(id);
        } catch (SvcException e) {
            if (e.status() != 404) throw e;
        }
    }

    /**
     * Runs a command that changes how the service lists the session, such as its name. Ignores a failure, because it
     * must not fail the test.
     */
    private static void report(AppiumDriver driver, String command, Map<String, Object> argument) {
        if (driver.getSessionId() == null) return;
        try {
            driver.executeScript(command, argument);
        } catch (WebDriverException e) {
            // Ignore the failure, because it must not fail the test.
        }
    }
}
