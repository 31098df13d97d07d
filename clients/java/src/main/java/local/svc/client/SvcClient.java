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
 * The REST API of one service, as one caller, and connections for its drivers. Every failure is a
 * {@link SvcException}. May be used by many threads.
 */
public final class SvcClient {
    private static final Duration UPLOAD = Duration.ofHours(1);

    private final Transport transport;
    private final Duration timeout;
    private final Map<String, Object> createFields;
    private final CommandCredential commands;
    private final CommandCredential fixed;

    /** @param audience of the bearer tokens that are asked for; null: the headers are sent as they are */
    SvcClient(Transport transport, Duration timeout, Map<String, String> headers, Map<String, Object> createFields,
            String audience) {
        this.transport = transport;
        this.timeout = timeout;
        this.createFields = createFields;
        fixed = CommandCredential.fixed(headers);
        commands = audience == null ? fixed : CommandCredential.of(new RenewedBearer(() -> issueBearer(audience)));
    }

    /**
     * A client as the environment says: {@code SVC_URL}, and {@code SVC_ACCESS_KEY} and {@code SVC_TOKEN} or the files
     * that {@code SVC_ACCESS_KEY_FILE} and {@code SVC_TOKEN_FILE} name; {@code SVC_AUDIENCE} ({@code svc-rest}).
     *
     * @throws IllegalStateException names what is missing
     * @throws IllegalArgumentException says what is wrong with a value, without repeating it
     */
    public static SvcClient fromEnv() {
        return fromEnv(System.getenv());
    }

    /** {@link #fromEnv()} with these variables. */
    public static SvcClient fromEnv(Map<String, String> variables) {
        return new Environment(variables).builder().build();
    }

    public static SvcClientBuilder builder() {
        return new SvcClientBuilder();
    }

    /** Scheme, host and port of the service. */
    public String url() {
        return transport.url();
    }

    /** For drivers: every command carries a bearer token that is renewed, every create the pair. */
    public SvcConnection connection() {
        return new SvcConnection(this, commands, createFields, Map.of());
    }

    /** For drivers that send the client's own credential with every command, in place of bearer tokens. */
    public SvcConnection fixedConnection() {
        return new SvcConnection(this, fixed, createFields, Map.of());
    }

    /**
     * Any route below {@code /svc/api}: {@code request("GET", "/session/{id}").param("id", id).object()}.
     *
     * @param path begins with a slash; parts that differ are {@code {name}}, given by {@link SvcRequest#param}
     */
    public SvcRequest request(String method, String path) {
        return new SvcRequest(transport, timeout, method, path);
    }

    /** Who the caller is and what they may do: {@code id}, {@code email}, {@code role}, {@code scopes}, … */
    public ApiObject me() {
        return request("GET", "/auth/me").object();
    }

    /** What this server has and has switched on: {@code version}, {@code features}, {@code webDriver}. */
    public ApiObject capabilities() {
        return request("GET", "/capabilities").object();
    }

    /** Capabilities that fit a virtual phone of this lab, if it has any. */
    public Optional<Map<String, Object>> exampleCapabilities() {
        return capabilities().object("webDriver").flatMap(each -> each.object("example")).map(ApiObject::fields);
    }

    /** A bearer token for {@code svc-rest} or {@code svc-mcp}, with the scopes it gives by itself. */
    public IssuedBearer issueBearer(String audience) {
        return new IssuedBearer(request("POST", "/auth/token").body(Map.of("audience", audience)).map());
    }

    /** Phones the caller may see. */
    public List<Device> devices() {
        return ApiObject.listOf(request("GET", "/devices").maps(), Device::new);
    }

    /**
     * Keeps a phone. The credential needs the scope {@code devices}.
     *
     * @throws SvcException {@code device_busy} when all that fit are busy or leased; {@code not_found} when none fits
     */
    public PhoneLease lease(LeaseInput input) {
        return new PhoneLease(this, request("POST", "/leases").body(input.body()).object());
    }

    /** Own leases; of an override admin, all: {@code leaseId}, {@code udid}, {@code owner}, {@code expiresAt}. */
    public List<ApiObject> leases() {
        return request("GET", "/leases").list();
    }

    /** Newest first, as many as the server gives at once. */
    public List<DriverSession> sessions() {
        return ApiObject.listOf(request("GET", "/sessions").maps(), DriverSession::new);
    }

    public DriverSession session(String id) {
        return new DriverSession(request("GET", "/session/{id}").param("id", id).map());
    }

    /** The first rows of its command log; {@code request} with {@code after} gives what follows. */
    public List<ApiObject> sessionLog(String id) {
        return request("GET", "/session/{id}/session_log").param("id", id).list();
    }

    /** Ends a running session. */
    public void endSession(String id) {
        request("DELETE", "/session/{id}").param("id", id).send();
    }

    public List<LibraryApp> apps() {
        return ApiObject.listOf(request("GET", "/apps").maps(), LibraryApp::new);
    }

    /** Adds an app to the library; the file is streamed. The credential needs {@code admin}. */
    public LibraryApp uploadApp(Path file) throws IOException {
        if (!Files.isRegularFile(file)) throw new FileNotFoundException(file + " is not a file");
        Multipart form = new Multipart("file", file);
        Object answer = transport.send("POST", "/apps", form.contentType(), form.publisher(), UPLOAD);
        return new LibraryApp(ApiObject.asObject(answer).orElseThrow(() -> SvcException.unexpected(201, null)));
    }

    public void deleteApp(String id) {
        request("DELETE", "/apps/{id}").param("id", id).send();
    }

    /** Of the caller, without their secrets: {@code id}, {@code name}, {@code scopes}, {@code expiresAt}, … */
    public List<ApiObject> tokens() {
        return request("GET", "/profile/tokens").list();
    }

    /**
     * A Profile token; its {@code token} is shown this once.
     *
     * @param scopes null: all that the role allows
     * @param expiresAt ISO 8601; null: as the credential that asks
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

    /** For the preview or the log of one phone; the credential needs {@code devices}. */
    public Ticket streamTicket(String udid) {
        return new Ticket(request("POST", "/control/{udid}/stream/ticket").param("udid", udid).map());
    }

    /** For live events. */
    public Ticket eventsTicket() {
        return new Ticket(request("POST", "/events/ticket").map());
    }

    /** Without credentials. */
    @Override
    public String toString() {
        return "SvcClient[" + url() + "]";
    }
}
