package local.svc.client;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openqa.selenium.json.Json;

/** A request to any route below {@code /svc/api}, created by {@link SvcClient#request}. */
public final class SvcRequest {
    private static final Pattern PATH = Pattern.compile("(?:/(?:[A-Za-z0-9._-]+|\\{\\w+\\}))+");
    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)\\}");

    private final Transport transport;
    private Duration timeout;
    private final String method;
    private final String path;
    private final Map<String, String> params = new LinkedHashMap<>();
    private final StringBuilder query = new StringBuilder();
    private String json;

    SvcRequest(Transport transport, Duration timeout, String method, String path) {
        if (!method.matches("[A-Z]+")) throw new IllegalArgumentException("The method must consist of upper-case letters");
        if (!PATH.matcher(path).matches() || path.contains("/../") || path.contains("/./") || path.matches(".*/\\.{1,2}")) {
            throw new IllegalArgumentException("The path must look like /session/{id}, without a query");
        }
        this.transport = transport;
        this.timeout = timeout;
        this.method = method;
        this.path = path;
    }

    /** Sets the value of {@code {name}} in the path. The value is escaped, so a slash in it adds no path segment. */
    public SvcRequest param(String name, String value) {
        if (value == null || value.matches("\\.{0,2}")) {
            throw new IllegalArgumentException(name + " is not usable in a path");
        }
        params.put(name, value);
        return this;
    }

    /** Adds a query parameter. Does nothing if the value is null. */
    public SvcRequest query(String name, Object value) {
        if (value != null) {
            query.append(query.length() == 0 ? '?' : '&').append(encoded(name)).append('=');
            query.append(encoded(String.valueOf(value)));
        }
        return this;
    }

    /** Sets the JSON body. */
    public SvcRequest body(Map<String, ?> body) {
        json = new Json().toJson(body);
        return this;
    }

    /** Adds a duration to the time limit of the request, because the service may respond only after this duration. */
    SvcRequest waiting(Duration more) {
        timeout = timeout.plus(more);
        return this;
    }

    /**
     * Sends the request and returns the parsed response, or null if the response has no body.
     *
     * @throws SvcException if the service refuses the request or does not respond
     */
    public Object send() {
        return transport.send(method, target(), contentType(), publisher(), timeout);
    }

    /**
     * Sends the request like {@link #send()}, for a route whose response is not JSON, and returns the response as text.
     */
    public String text() {
        return transport.sendForText(method, target(), contentType(), publisher(), timeout).text;
    }

    /** Sends the request like {@link #send()} and returns the object in the response. */
    public ApiObject object() {
        return new ApiObject(map());
    }

    /** Sends the request like {@link #send()} and returns the list of objects in the response. */
    public List<ApiObject> list() {
        return ApiObject.listOf(maps(), ApiObject::new);
    }

    Map<String, Object> map() {
        return ApiObject.asObject(send()).orElseThrow(() -> SvcException.unexpected(200, null));
    }

    List<Map<String, Object>> maps() {
        return Transport.objects(send());
    }

    private BodyPublisher publisher() {
        return json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json);
    }

    private String contentType() {
        return json == null ? null : "application/json";
    }

    private String target() {
        Matcher places = PLACE.matcher(path);
        StringBuilder target = new StringBuilder();
        while (places.find()) {
            String value = params.get(places.group(1));
            if (value == null) throw new IllegalArgumentException(places.group(1) + " has no value");
            places.appendReplacement(target, Matcher.quoteReplacement(encoded(value)));
        }
        return places.appendTail(target).append(query).toString();
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns a text without the body and the query, because they may contain secrets. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
