package local.svc.client.junit;

import io.appium.java_client.AppiumDriver;
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
 * Phones of the lab for JUnit 5: a test that has a parameter {@link AppiumDriver} (or {@code AndroidDriver},
 * {@code IOSDriver}), {@link PhoneLease} or {@link SvcClient} is given it. The phone is leased when the credential may
 * lease, the session is named after the test, marked passed or failed, and ended, and the phone is given back.
 *
 * <p>Parameters of a test method are its own; what a constructor or {@code @BeforeAll} asks for is shared by the class.
 *
 * <p>{@code @ExtendWith(SvcExtension.class)} takes everything from the environment: {@link SvcClient#fromEnv()}, and
 * the capabilities from {@code SVC_CAPABILITIES} (a JSON object), or what the lab says fits one of its virtual phones.
 * {@code @RegisterExtension} with {@link #with} says it in code.
 */
public final class SvcExtension implements ParameterResolver, AfterEachCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SvcExtension.class);

    private final PhoneSource source;

    public SvcExtension() {
        this(new PhoneSource(SvcClient::fromEnv, null, null, true));
    }

    private SvcExtension(PhoneSource source) {
        this.source = source;
    }

    /** With these capabilities; the client is that of the environment. */
    public static SvcExtension with(Capabilities capabilities) {
        return new SvcExtension().capabilities(capabilities);
    }

    public SvcExtension capabilities(Capabilities capabilities) {
        return new SvcExtension(source.withCapabilities(capabilities));
    }

    /** In place of {@link SvcClient#fromEnv()}; asked for when the first test needs it. */
    public SvcExtension client(Supplier<SvcClient> client) {
        return new SvcExtension(source.withClient(client));
    }

    /** Which phone to lease; without it, one that {@code appium:udid} or {@code platformName} names. */
    public SvcExtension lease(LeaseInput input) {
        return new SvcExtension(source.withLease(input));
    }

    /** The create picks a free phone, which is free for others again after the session. */
    public SvcExtension withoutLease() {
        return new SvcExtension(source.withoutLease());
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

    /** That of the test, or of its class when that has one. */
    private TestPhone phoneOf(ExtensionContext context) {
        return context.getStore(NAMESPACE)
            .getOrComputeIfAbsent(source, key -> new TestPhone(key, nameOf(context)), TestPhone.class);
    }

    private static String nameOf(ExtensionContext context) {
        String own = context.getDisplayName();
        if (context.getTestMethod().isEmpty()) return own;
        return context.getRequiredTestClass().getSimpleName() + " " + own;
    }

    /** Removing looks in this context only: a phone of the class stays for its other tests. */
    private void giveBack(ExtensionContext context) {
        TestPhone own = context.getStore(NAMESPACE).remove(source, TestPhone.class);
        if (own != null) own.giveBack();
    }
}
