package local.svc.client;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Client of the REST API of one service, for one caller. It also creates connections for drivers. Every failed request
 * throws a {@link SvcException}. Thread-safe.
 */
public final class SvcClient {
    private static final Duration UPLOAD = Duration.ofHours(1);

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

    /** Returns the phones that the caller is allowed to see. */
    public List<Device> devices() {
        return ApiObject.listOf(request("GET", "/devices").maps(), Device::new);
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

    /**
     * Returns the caller's leases. A Super admin, or a credential with the scope {@code admin}, gets the leases of all
     * users. Each lease has the fields {@code leaseId}, {@code udid}, {@code owner} and {@code expiresAt}.
     */
    public List<ApiObject> leases() {
        return request("GET", "/leases").list();
    }

    /** Returns the newest sessions, newest first. The server limits how many one response contains. */
    public List<DriverSession> sessions() {
        return ApiObject.listOf(request("GET", "/sessions").maps(), DriverSession::new);
    }

    public DriverSession session(String id) {
        return new DriverSession(request("GET", "/session/{id}").param("id", id).map());
    }

    /** Returns the first rows of a session's command log. To get later rows, use {@code request} with {@code after}. */
    public List<ApiObject> sessionLog(String id) {
        return request("GET", "/session/{id}/session_log").param("id", id).list();
    }

    /** Returns the report of a session: one HTML file that needs no network. */
    public String sessionReport(String id) {
        return request("GET", "/session/{id}/report").param("id", id).text();
    }

    /** Ends a session. Has no effect if the session has already ended. */
    public void endSession(String id) {
        request("DELETE", "/session/{id}").param("id", id).send();
    }

    public List<LibraryApp> apps() {
        return ApiObject.listOf(request("GET", "/apps").maps(), LibraryApp::new);
    }

    /** Adds an app to the library. The file is streamed from the disk. The credential needs the scope {@code admin}. */
    public LibraryApp uploadApp(Path file) throws IOException {
        if (!Files.isRegularFile(file)) throw new FileNotFoundException(file + " is not a file");
        Multipart form = new Multipart("file", file);
        Object answer = transport.send("POST", "/apps", form.contentType(), form.publisher(), UPLOAD);
        return new LibraryApp(ApiObject.asObject(answer).orElseThrow(() -> SvcException.unexpected(201, null)));
    }

    public void deleteApp(String id) {
        request("DELETE", "/apps/{id}").param("id", id).send();
    }

    /**
     * Returns the caller's tokens without their secrets: {@code id}, {@code name}, {@code scopes}, {@code expiresAt}, …
     */
    public List<ApiObject> tokens() {
        return request("GET", "/profile/tokens").list();
    }

    /**
     * Creates a token of the caller. Only this response contains the secret, as {@code token}.
     *
     * @param scopes null for all scopes that the role allows
     * @param expiresAt ISO 8601. If null, the token expires together with the credential of this client.
     */
    public ApiObject createToken(String name, List<String> scopes, String expiresAt) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("name", name);
        if (scopes != null) body.put("scopes", scopes);
        if (expiresAt != null) body.put("expiresAt", expiresAt);
        return request("POST", "/profile/tokens").body(body).object();
    }

    public void revokeToken(String id) {
        request("DELETE", "/profile/tokens/{id}").param("id", id).send();
    }

    /** Issues a ticket for the preview or the log of one phone. The credential needs the scope {@code devices}. */
    public Ticket streamTicket(String udid) {
        return new Ticket(request("POST", "/control/{udid}/stream/ticket").param("udid", udid).map());
    }

    /** Issues a ticket for live events. */
    public Ticket eventsTicket() {
        return new Ticket(request("POST", "/events/ticket").map());
    }

    /** Returns a text without credentials, because they are secret. */
    @Override
    public String toString() {
        return "SvcClient[" + url() + "]";
    }
}
