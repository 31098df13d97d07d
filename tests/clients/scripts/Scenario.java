import io.appium.java_client.AppiumBy;
import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.openqa.selenium.MutableCapabilities;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.NoSuchSessionException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.json.Json;

/** The scenario of tests/clients/same-script.test.ts for java-client. Its argument is the address of the server. */
public class Scenario {
    private static Map<String, String> sent = Map.of();
    private static String address;

    public static void main(String[] args) throws Exception {
        address = args[0];
        Map<String, String> own = pair("SVC");
        Map<String, String> other = pair("SVC_OTHER");
        sent = headersOf(own);
        tell("created without credentials", refusal(() -> create(null)));
        AppiumDriver phone = create(own);
        tell("created", !phone.getSessionId().toString().isEmpty());
        tell("credentials in the answer", phone.getCapabilities().toString().contains(own.get("token")));
        WebElement field = phone.findElement(AppiumBy.id("search"));
        field.click();
        field.sendKeys("plumber");
        tell("typed", field.getText());
        tell("rows", phone.findElements(AppiumBy.xpath("//row")).size());
        try {
            phone.findElement(AppiumBy.id("nothing"));
            tell("missing", "found");
        } catch (NoSuchElementException e) {
            tell("missing", "no such element");
        }
        tell("source", phone.getPageSource().contains("Groceries"));
        sent = headersOf(other);
        tell("of another owner", refusal(phone::getPageSource));
        sent = Map.of();
        tell("of a stranger", refusal(phone::getPageSource));
        sent = headersOf(own);
        tell("still there", phone.getPageSource().contains("Groceries"));
        String source = address + "/session/" + phone.getSessionId() + "/source";
        phone.quit();
        tell("after quit", errorOf(source));
        // Without this call, Maven would wait for the threads of the HTTP clients.
        System.exit(0);
    }

    /** Uses plain HTTP, because the driver sends no command after its session has ended. */
    private static String errorOf(String url) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        sent.forEach(request::header);
        String answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
        Map<String, Map<String, Object>> parsed = new Json().toType(answer, Json.MAP_TYPE);
        return String.valueOf(parsed.get("value").get("error"));
    }

    private static AppiumDriver create(Map<String, String> credentials) throws Exception {
        MutableCapabilities capabilities = new MutableCapabilities();
        Map<String, Object> wanted = new Json().toType(System.getenv("SVC_CAPABILITIES"), Json.MAP_TYPE);
        wanted.forEach(capabilities::setCapability);
        if (credentials != null) capabilities.setCapability("svc:options", credentials);
        AppiumClientConfig config = AppiumClientConfig.defaultConfig()
            .baseUrl(URI.create(address).toURL())
            .withFilter(next -> request -> {
                sent.forEach(request::setHeader);
                return next.execute(request);
            });
        return new AppiumDriver(config, capabilities);
    }

    private interface Act {
        Object run() throws Exception;
    }

    private static String refusal(Act act) throws Exception {
        try {
            act.run();
            return "let through";
        } catch (NoSuchSessionException e) {
            return "invalid session id";
        } catch (WebDriverException e) {
            return e.getMessage().contains("session rejected") ? "session rejected" : e.toString();
        }
    }

    private static void tell(String step, Object result) {
        System.out.println(step + ": " + result);
    }

    private static Map<String, String> pair(String prefix) {
        Map<String, String> pair = new HashMap<>();
        pair.put("accessKey", System.getenv(prefix + "_ACCESS_KEY"));
        pair.put("token", System.getenv(prefix + "_TOKEN"));
        return pair;
    }

    private static Map<String, String> headersOf(Map<String, String> pair) {
        return Map.of("x-svc-access-key", pair.get("accessKey"), "x-svc-token", pair.get("token"));
    }
}
