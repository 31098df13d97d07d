package local.svc.client;

import io.appium.java_client.AppiumClientConfig;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.remote.http.Contents;
import org.openqa.selenium.remote.http.Filter;
import org.openqa.selenium.remote.http.HttpHandler;
import org.openqa.selenium.remote.http.HttpMethod;
import org.openqa.selenium.remote.http.HttpRequest;
import org.openqa.selenium.remote.http.HttpResponse;

/**
 * How drivers reach the lab: {@code new AppiumDriver(client.connection().config(), options)}. The credentials are added
 * to requests on their way out, so that they are in no capabilities, which drivers print in their exceptions.
 */
public final class SvcConnection {
    private static final int UNAUTHORIZED = 401;

    private final SvcClient client;
    private final CommandCredential commands;
    private final Map<String, Object> createFields;
    private final Map<String, Object> leaseFields;

    SvcConnection(SvcClient client, CommandCredential commands, Map<String, Object> createFields,
            Map<String, Object> leaseFields) {
        this.client = client;
        this.commands = commands;
        this.createFields = createFields;
        this.leaseFields = leaseFields;
    }

    /** The same; creates carry the lease, so that they get its phone, whoever they are of. */
    public SvcConnection withLease(PhoneLease lease) {
        return new SvcConnection(client, commands, createFields, lease.createFields());
    }

    /**
     * For drivers of java-client, with its own defaults. Asks the service for Appium's base path.
     *
     * @throws SvcException also when the address of the service redirects, which drivers would follow
     */
    public AppiumClientConfig config() {
        return config(AppiumClientConfig.defaultConfig());
    }

    /** The same with timeouts, proxy and filters of {@code base}; its address and direct connection do not count. */
    public AppiumClientConfig config(AppiumClientConfig base) {
        Filter own = filter();
        Filter usual = base.filter();
        return base.baseUri(URI.create(address()))
            // The credentials would go to any server that an answer names.
            .directConnect(false)
            .withFilter(usual == null ? own : own.andThen(usual));
    }

    /** Where drivers find Appium: the address of the service with Appium's base path. */
    public String address() {
        String basePath = client.capabilities().object("webDriver").flatMap(each -> each.text("basePath")).orElse("");
        if (!basePath.matches("(?:/[A-Za-z0-9._~-]+)*/?")) throw SvcException.unexpected(200, null);
        return client.url() + basePath;
    }

    /** For other clients of Selenium's: {@code ClientConfig.defaultConfig().baseUrl(…).withFilter(filter())}. */
    public Filter filter() {
        return next -> request -> send(next, request);
    }

    private HttpResponse send(HttpHandler next, HttpRequest request) {
        if (isCreate(request)) prepareCreate(request);
        Map<String, String> headers = commands.headers();
        headers.forEach(request::setHeader);
        HttpResponse answer = next.execute(request);
        // Nothing was done for a request that is refused like this, so it may be sent again: once.
        if (answer.getStatus() != UNAUTHORIZED || !commands.renewAfter(headers)) return answer;
        commands.headers().forEach(request::setHeader);
        return next.execute(request);
    }

    private static boolean isCreate(HttpRequest request) {
        return request.getMethod() == HttpMethod.POST && request.getUri().equals("/session");
    }

    private void prepareCreate(HttpRequest request) {
        // It carries credentials: the automation server is not to log it (specification 5.5.2).
        request.setHeader("X-Auto-Is-Sensitive", "true");
        Map<String, Object> fields = new LinkedHashMap<>(createFields);
        fields.putAll(leaseFields);
        if (fields.isEmpty()) return;
        String body = CreateBody.with(Contents.string(request), fields).orElseThrow(
            () -> new WebDriverException("The create has no W3C capabilities to add credentials to"));
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        request.setHeader("Content-Length", String.valueOf(content.length));
        request.setContent(SecretContent.of(content));
    }

    /** Without credentials. */
    @Override
    public String toString() {
        return "SvcConnection[" + client.url() + "]";
    }
}
