package local.svc.client.junit;

import io.appium.java_client.AppiumDriver;
import java.nio.file.Path;
import java.util.function.Supplier;
import local.svc.client.LeaseInput;
import local.svc.client.PhoneLease;
import local.svc.client.SvcClient;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.openqa.selenium.Capabilities;

/**
 * Extension that gives JUnit 5 tests phones of the lab. A test method gets an {@link AppiumDriver} (or
 * {@code AndroidDriver}, {@code IOSDriver}), a {@link PhoneLease} or an {@link SvcClient} if it declares a parameter of
 * that type. The phone is leased if the credential has the scope for leases. The session gets the name of the test and
 * is marked passed or failed when it ends; then the phone is given back.
 *
 * <p>Each test method gets its own objects. The objects of a constructor or a {@code @BeforeAll} method are shared by
 * all tests of the class.
 *
 * <p>{@code @ExtendWith(SvcExtension.class)} takes the client from the environment ({@link SvcClient#fromEnv()}), and
 * the capabilities from {@code SVC_CAPABILITIES} (a JSON object). If that variable is not set, it uses the capabilities
 * for a virtual phone of the lab. To configure the extension in code, use {@link #with} and {@code @RegisterExtension}.
 */
public final class SvcExtension implements ParameterResolver, AfterEachCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SvcExtension.class);

    private final PhoneSource source;

    public SvcExtension() {
        this(new PhoneSource(SvcClient::fromEnv));
    }

    private SvcExtension(PhoneSource source) {
        this.source = source;
    }

    /** Creates an extension with these capabilities and the client of the environment. */
    public static SvcExtension with(Capabilities capabilities) {
        return new SvcExtension().capabilities(capabilities);
    }

    public SvcExtension capabilities(Capabilities capabilities) {
        return new SvcExtension(source.withCapabilities(capabilities));
    }

    /**
     * Sets the supplier of the client, instead of {@link SvcClient#fromEnv()}. It is called when the first test needs a
     * client.
     */
    public SvcExtension client(Supplier<SvcClient> client) {
        return new SvcExtension(source.withClient(client));
    }

    /**
     * Sets which phone to lease. By default, the capability {@code appium:udid} or, if that is absent,
     * {@code platformName} decides.
     */
    public SvcExtension lease(LeaseInput input) {
        return new SvcExtension(source.withLease(input));
    }

    /** Turns leases off. Each new session then gets a free phone, which others can use again after the session. */
    public SvcExtension withoutLease() {
        return new SvcExtension(source.withoutLease());
    }

    /**
     * Saves the report of the session of each failed test in this folder, and names the file in the JUnit report entry
     * {@code svc_report}. The default folder is the value of {@code SVC_REPORTS}.
     */
    public SvcExtension reports(Path folder) {
        return new SvcExtension(source.withReports(folder));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SvcClient.class || type == PhoneLease.class || DriverTypes.isDriver(type);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        TestPhone phone = phoneOf(context);
        if (type == SvcClient.class) return phone.client();
        return type == PhoneLease.class ? phone.lease() : phone.driver(type);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestPhone used = context.getStore(NAMESPACE).get(source, TestPhone.class);
        if (used != null) context.getExecutionException().ifPresent(used::failed);
        giveBack(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        context.getExecutionException().ifPresent(failure -> {
            TestPhone used = context.getStore(NAMESPACE).get(source, TestPhone.class);
            if (used != null) used.failed(failure);
        });
        giveBack(context);
    }

    /**
     * Returns the phone of the test. If the test class has a phone, for example from {@code @BeforeAll}, its tests use
     * that.
     */
    private TestPhone phoneOf(ExtensionContext context) {
        return context.getStore(NAMESPACE)
            .getOrComputeIfAbsent(source, key -> new TestPhone(key, nameOf(context)), TestPhone.class);
    }

    private static String nameOf(ExtensionContext context) {
        String own = context.getDisplayName();
        if (context.getTestMethod().isEmpty()) return own;
        return context.getRequiredTestClass().getSimpleName() + " " + own;
    }

    /**
     * Ends the session and the lease of the test or class that has ended. After a test, a phone that belongs to its
     * class remains available to the other tests of the class.
     */
    private void giveBack(ExtensionContext context) {
        TestPhone own = context.getStore(NAMESPACE).remove(source, TestPhone.class);
        if (own == null) return;
        own.giveBack();
        own.saveReport().ifPresent(file -> context.publishReportEntry("svc_report", file));
    }
}
