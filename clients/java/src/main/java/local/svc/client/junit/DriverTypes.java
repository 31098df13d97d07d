package local.svc.client.junit;

import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.openqa.selenium.Capabilities;
import org.openqa.selenium.WebDriver;

/** Creates an instance of the java-client driver class that a test declares as a parameter. */
final class DriverTypes {
    private DriverTypes() {}

    static boolean isDriver(Class<?> type) {
        return WebDriver.class.isAssignableFrom(type)
            && (AppiumDriver.class.isAssignableFrom(type) || type.isAssignableFrom(AppiumDriver.class));
    }

    /**
     * Starts a driver of this type, or an AppiumDriver if the type is one of its interfaces or base classes, such as
     * `WebDriver`.
     */
    static AppiumDriver start(Class<?> type, AppiumClientConfig config, Capabilities capabilities) {
        if (type.isAssignableFrom(AppiumDriver.class)) return new AppiumDriver(config, capabilities);
        try {
            return type.asSubclass(AppiumDriver.class)
                .getConstructor(AppiumClientConfig.class, Capabilities.class)
                .newInstance(config, capabilities);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException) throw (RuntimeException) e.getCause();
            if (e.getCause() instanceof Error) throw (Error) e.getCause();
            throw new ParameterResolutionException(type.getName() + " did not start", e.getCause());
        } catch (ReflectiveOperationException e) {
            String needs = " has no public constructor (AppiumClientConfig, Capabilities)";
            throw new ParameterResolutionException(type.getName() + needs, e);
        }
    }
}
