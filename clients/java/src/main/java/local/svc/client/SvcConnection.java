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
 * Connects drivers to the lab: {@code new AppiumDriver(client.connection().config(), options)}. The credentials are
 * added when a request is sent, so the capabilities, which drivers print in their exceptions, never contain them.
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

    /** A connection whose creates carry the lease, so that they get its phone, regardless of the caller. */
    public SvcConnection withLease(PhoneLease lease) {
        return new SvcConnection(client, commands, createFields, lease.createFields());
    }

    /**
     * Configuration for drivers of java-client, based on its defaults. Requests Appium's base path from the service.
     *
     * @throws SvcException also if the address of the service redirects, because drivers would follow the redirect
     */
    public AppiumClientConfig config() {
        return config(AppiumClientConfig.defaultConfig());
    }

    /**
     * As {@link #config()}, with timeouts, proxy and filters of {@code base}, but not its address and direct
     * connection.
     */
    public AppiumClientConfig config(AppiumClientConfig base) {
        Filter own = filter();
        Filter usual = base.filter();
        return base.baseUri(URI.create(address()))
            // With direct connections, drivers would send the credentials to any server that a response names.
            .directConnect(false)
            .withFilter(usual == null ? own : own.andThen(usual));
    }

    /** The address at which drivers find Appium: that of the service, with Appium's base path. */
    public String address() {
        String basePath = client.capabilities().object("webDriver").flatMap(each -> each.text("basePath")).orElse("");
        if (!basePath.matches("(?:/[A-Za-z0-9._~-]+)*/?")) throw SvcException.unexpected(200, null);
        return client.url() + basePath;
    }

    /** A filter for other clients of Selenium: {@code ClientConfig.defaultConfig().baseUrl(…).withFilter(filter())}. */
    public Filter filter() {
        return next -> request -> send(next, request);
    }

    private HttpResponse send(HttpHandler next, HttpRequest request) {
        if (isCreate(request)) prepareCreate(request);
        Map<String, String> headers = commands.headers();
        headers.forEach(request::setHeader);
        HttpResponse answer = next.execute(request);
        // A request that was refused in this way was not executed, so it is repeated once.
        if (answer.getStatus() != UNAUTHORIZED || !commands.renewAfter(headers)) return answer;
        commands.headers().forEach(request::setHeader);
        return next.execute(request);
    }

    private static boolean isCreate(HttpRequest request) {
        return request.getMethod() == HttpMethod.POST && request.getUri().equals("/session");
    }

    private void prepareCreate(HttpRequest request) {
        // The request carries credentials, so the automation server must not log it (specification 5.5.2).
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

    /** Does not contain credentials. */
    @Override
    public String toString() {
        return "SvcConnection[" + client.url() + "]";
    }
}
