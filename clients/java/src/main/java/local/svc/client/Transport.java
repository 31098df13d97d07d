package local.svc.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.json.JsonException;

/** Sends requests below {@code /svc/api} to one service for one caller. */
final class Transport {
    private static final int LONGEST_MESSAGE = 500;

    private final String url;
    private final HttpClient http;
    private final Map<String, String> credential;

    Transport(String url, HttpClient http, Map<String, String> credential) {
        this.url = url;
        this.http = http;
        this.credential = credential;
    }

    String url() {
        return url;
    }

    /**
     * Sends a request and returns the parsed response, or null if the response has no body. Throws a {@link
     * SvcException} if the service refuses or does not respond.
     */
    Object send(String method, String target, String contentType, HttpRequest.BodyPublisher body, Duration timeout) {
        Success success = sendForText(method, target, contentType, body, timeout);
        if (success.text.isEmpty()) return null;
        return parse(success.text).orElseThrow(() -> SvcException.unexpected(success.status, success.requestId));
    }

    /** Sends a request and returns the text of the response. The text is not parsed as JSON. */
    Success sendForText(
            String method, String target, String contentType, HttpRequest.BodyPublisher body, Duration timeout) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/svc/api" + target))
            .timeout(timeout)
            .header("Accept", "application/json")
            // The service refuses requests that change something if `Origin` is wrong, so send the origin of the
            // service itself, as its own pages do (specification 5.6).
            .header("Origin", url)
            .method(method, body);
        // Bodies may contain secrets, so this header asks the automation server not to log them (specification 5.5.2).
        if (contentType != null) request.header("Content-Type", contentType).header("X-Auto-Is-Sensitive", "true");
        credential.forEach(request::header);
        HttpResponse<byte[]> answer = exchange(request.build(), timeout);
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        String requestId = answer.headers().firstValue("x-request-id").map(this::clean).orElse(null);
        int status = answer.statusCode();
        if (status < 200 || status > 299) throw refusal(status, requestId, text);
        return new Success(status, requestId, text);
    }

    /** A response with a status from 200 to 299. */
    static final class Success {
        final int status;
        final String requestId;
        final String text;

        Success(int status, String requestId, String text) {
            this.status = status;
            this.requestId = requestId;
            this.text = text;
        }
    }

    /**
     * Sends the request within the timeout. Java's own request timeout covers only the response's headers, so this
     * method also limits the time for the body.
     */
    private HttpResponse<byte[]> exchange(HttpRequest request, Duration timeout) {
        CompletableFuture<HttpResponse<byte[]>> answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SvcException.unreachable("Interrupted while waiting for " + url);
        } catch (TimeoutException e) {
            throw unreachable(e);
        } catch (ExecutionException e) {
            throw unreachable(e.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    /**
     * Creates an exception that names only the class of the cause, because the cause's message may repeat what was sent
     * or received.
     */
    private SvcException unreachable(Throwable cause) {
        return SvcException.unreachable(url + " did not answer (" + cause.getClass().getSimpleName() + ")");
    }

    private SvcException refusal(int status, String requestId, String text) {
        Map<String, Object> body = parse(text).flatMap(ApiObject::asObject).orElse(Map.of());
        Object code = body.get("error");
        if (!(code instanceof String)) return SvcException.unexpected(status, requestId);
        Map<String, Object> details = new LinkedHashMap<>(body);
        details.remove("error");
        Object message = details.remove("message");
        String shown = message instanceof String ? code + ": " + message : (String) code;
        return new SvcException(status, clean((String) code), requestId, clean(shown), cleaned(details));
    }

    /**
     * Removes the credentials of this client from a text of the response, and truncates a long text. The service never
     * repeats credentials, but another server at this address might.
     */
    private String clean(String text) {
        String cleaned = text;
        for (String secret : credential.values()) cleaned = cleaned.replace(secret, "…");
        return cleaned.length() <= LONGEST_MESSAGE ? cleaned : cleaned.substring(0, LONGEST_MESSAGE) + "…";
    }

    private Map<String, Object> cleaned(Map<String, Object> details) {
        Function<Object, Boolean> repeats = value -> credential.values().stream().anyMatch(String.valueOf(value)::contains);
        details.values().removeIf(repeats::apply);
        return details;
    }

    /**
     * Parses JSON. Returns empty if the text is not JSON. The parser's exception is not thrown, because its message
     * would repeat the text, which may contain a secret.
     */
    static Optional<Object> parse(String text) {
        try {
            return Optional.ofNullable(new Json().toType(text, Object.class));
        } catch (JsonException | StackOverflowError e) {
            return Optional.empty();
        }
    }

    static List<Map<String, Object>> objects(Object answer) {
        if (!(answer instanceof List)) throw SvcException.unexpected(200, null);
        List<Map<String, Object>> objects = new java.util.ArrayList<>();
        for (Object each : (List<?>) answer) {
            objects.add(ApiObject.asObject(each).orElseThrow(() -> SvcException.unexpected(200, null)));
        }
        return objects;
    }

    /**
     * Returns scheme, host and port of the service's address.
     *
     * @throws IllegalArgumentException if the address contains anything else; the message does not repeat the address,
     * because it may contain a password
     */
    static String originOf(String address) {
        String advice = "The address of the service is scheme, host and port, as in https://lab.example:4723";
        URI uri;
        try {
            uri = new URI(address == null ? "" : address.strip());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(advice);
        }
        boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        String path = uri.getRawPath();
        boolean isPlain = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
        if (!isHttp || uri.getHost() == null || !isPlain || !(path.isEmpty() || path.equals("/"))) {
            throw new IllegalArgumentException(advice);
        }
        String port = uri.getPort() == -1 ? "" : ":" + uri.getPort();
        return (uri.getScheme() + "://" + uri.getHost()).toLowerCase(java.util.Locale.ROOT) + port;
    }
}
