package local.svc.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Connects drivers and tests of one caller to one service. {@link #request} calls any route of its REST API. Every failed
 * request throws a {@link SvcException}. Thread-safe.
 */
public final class SvcClient {
    private final Transport transport;
    private final Duration timeout;
    private final Map<String, Object> createFields;
    private final CommandCredential commands;
    private final CommandCredential fixed;

    /**
     * Creates a client from its parts.
     *
     * @param audience audience of the bearer tokens to request for commands, or null to send {@code headers} with
     * commands instead
     */
    SvcClient(Transport transport, Duration timeout, Map<String, String> headers, Map<String, Object> createFields,
            String audience) {
        this.transport = transport;
        this.timeout = timeout;
        this.createFields = createFields;
        fixed = CommandCredential.fixed(headers);
        commands = audience == null ? fixed : CommandCredential.of(new RenewedBearer(() -> issueBearer(audience)));
    }

    /**
     * Creates a client from environment variables. {@code SVC_URL} is the address of the lab. It can be absent if
     * {@code svc login} has stored a key pair for one lab only. {@code SVC_AUDIENCE} defaults to {@code svc-rest}. The
     * client uses the first credentials that it finds: the key pair in {@code SVC_ACCESS_KEY} and {@code SVC_TOKEN}, or
     * in the files that {@code SVC_ACCESS_KEY_FILE} and {@code SVC_TOKEN_FILE} name; the tokens of a CI job in
     * {@code SVC_ACCESS_TOKEN} and {@code SVC_SESSION_TOKEN}; the key pair that {@code svc login} stored for the
     * address.
     *
     * @throws IllegalStateException if a variable is missing; the message names it
     * @throws IllegalArgumentException if a value is invalid; the message does not repeat the value
     */
    public static SvcClient fromEnv() {
        return fromEnv(System.getenv());
    }

    /** Creates a client like {@link #fromEnv()}, but from these variables instead of the environment. */
    public static SvcClient fromEnv(Map<String, String> variables) {
        return new Environment(variables).builder().build();
    }

    public static SvcClientBuilder builder() {
        return new SvcClientBuilder();
    }

    /** Returns scheme, host and port of the service. */
    public String url() {
        return transport.url();
    }

    /**
     * Returns a connection for drivers whose commands carry a bearer token, which is renewed. Requests that create a
     * session carry the key pair too.
     */
    public SvcConnection connection() {
        return new SvcConnection(this, commands, createFields, Map.of());
    }

    /**
     * Returns a connection for drivers whose commands carry the credential with which the client was built, for example
     * its key pair, instead of a bearer token that is renewed.
     */
    public SvcConnection fixedConnection() {
        return new SvcConnection(this, fixed, createFields, Map.of());
    }

    /**
     * Starts a call of any route below {@code /svc/api}: {@code request("GET", "/session/{id}").param("id",
     * id).object()}.
     *
     * @param path begins with a slash; {@code {name}} is replaced by the value of {@link SvcRequest#param}
     */
    public SvcRequest request(String method, String path) {
        return new SvcRequest(transport, timeout, method, path);
    }

    /** Returns the caller and what the caller may do: {@code id}, {@code email}, {@code role}, {@code scopes}, … */
    public ApiObject me() {
        return request("GET", "/auth/me").object();
    }

    /** Returns the features of this server: {@code version}, {@code features}, {@code webDriver}. */
    public ApiObject capabilities() {
        return request("GET", "/capabilities").object();
    }

    /** Returns capabilities for a virtual phone of this lab, or empty if the lab has none. */
    public Optional<Map<String, Object>> exampleCapabilities() {
        return capabilities().object("webDriver").flatMap(each -> each.object("example")).map(ApiObject::fields);
    }

    /**
     * Issues a bearer token for {@code svc-rest} or {@code svc-mcp} with the default scopes. The token is not renewed.
     */
    public IssuedBearer issueBearer(String audience) {
        return new IssuedBearer(request("POST", "/auth/token").body(Map.of("audience", audience)).map());
    }

    /**
     * Reserves a phone. The credential needs the scope {@code devices}.
     *
     * @throws SvcException {@code device_busy} if all phones that match are busy or leased; {@code not_found} if none
     * matches
     */
    public PhoneLease lease(LeaseInput input) {
        return new PhoneLease(this, request("POST", "/leases").body(input.body()).waiting(input.queueTime()).object());
    }

    /** Returns the report of a session: one HTML file that needs no network. */
    public String sessionReport(String id) {
        return request("GET", "/session/{id}/report").param("id", id).text();
    }

    /** Ends a session. Has no effect if the session has already ended. */
    public void endSession(String id) {
        request("DELETE", "/session/{id}").param("id", id).send();
    }

    /** Returns a text without credentials, because they are secret. */
    @Override
    public String toString() {
        return "SvcClient[" + url() + "]";
    }
}
