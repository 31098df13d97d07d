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

    /**
     * Returns a connection whose create-session requests carry the lease, so that their sessions get the leased phone.
     */
    public SvcConnection withLease(PhoneLease lease) {
        return new SvcConnection(client, commands, createFields, lease.createFields());
    }

    /**
     * Returns a configuration for drivers of java-client, based on the defaults of java-client. Requests Appium's base
     * path from the service.
     *
     * @throws SvcException if the service refuses the request, does not respond, or responds with a redirect. Redirects
     * are refused here, because a driver would follow them and could send the credentials to another server
     */
    public AppiumClientConfig config() {
        return config(AppiumClientConfig.defaultConfig());
    }

    /**
     * Returns a configuration like {@link #config()} with the timeouts, proxy and filters of {@code base}. The address
     * and the setting {@code directConnect} of {@code base} are not used.
     */
    public AppiumClientConfig config(AppiumClientConfig base) {
        Filter own = filter();
        Filter usual = base.filter();
        return base.baseUri(URI.create(address()))
            // Turn off `directConnect`, because with it a driver sends its commands, and thus the credentials, to any
            // server that a response names.
            .directConnect(false)
            .withFilter(usual == null ? own : own.andThen(usual));
    }

    /** Returns the address at which drivers reach Appium: that of the service, followed by Appium's base path. */
    public String address() {
        String basePath = client.capabilities().object("webDriver").flatMap(each -> each.text("basePath")).orElse("");
        if (!basePath.matches("(?:/[A-Za-z0-9._~-]+)*/?")) throw SvcException.unexpected(200, null);
        return client.url() + basePath;
    }

    /**
     * Returns a filter that adds the credentials, for other Selenium clients: {@code
     * ClientConfig.defaultConfig().baseUrl(…).withFilter(filter())}.
     */
    public Filter filter() {
        return next -> request -> send(next, request);
    }

    private HttpResponse send(HttpHandler next, HttpRequest request) {
        if (isCreate(request)) prepareCreate(request);
        Map<String, String> headers = commands.headers();
        headers.forEach(request::setHeader);
        HttpResponse answer = next.execute(request);
        // If the credential can be renewed, send the command again. The service did not execute it, because it
        // responded with 401.
        if (answer.getStatus() != UNAUTHORIZED || !commands.renewAfter(headers)) return answer;
        commands.headers().forEach(request::setHeader);
        return next.execute(request);
    }

    private static boolean isCreate(HttpRequest request) {
        return request.getMethod() == HttpMethod.POST && request.getUri().equals("/session");
    }

    private void prepareCreate(HttpRequest request) {
        // The request carries credentials, so this header asks the automation server not to log it (specification
        // 5.5.2).
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

    /** Returns a text without credentials, because they are secret. */
    @Override
    public String toString() {
        return "SvcConnection[" + client.url() + "]";
    }
}
