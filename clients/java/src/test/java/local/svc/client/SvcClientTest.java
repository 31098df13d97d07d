package local.svc.client;

import static local.svc.client.FakeService.ACCESS_KEY;
import static local.svc.client.FakeService.TOKEN;
import static local.svc.client.FakeService.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SvcClientTest {
    private FakeService service;
    private SvcClient client;

    @BeforeEach
    void start() throws IOException {
        service = new FakeService();
        client = service.client();
    }

    @AfterEach
    void stop() {
        service.close();
    }

    @Test
    @DisplayName("(specification 5.1) a request carries the pair, and a body is not logged")
    void carriesThePair() {
        service.on("POST /svc/api/auth/token", 200, "{\"token\":\"b\",\"expiresIn\":3600,\"audience\":\"svc-rest\",\"scopes\":[\"read\"]}");
        IssuedBearer issued = client.issueBearer("svc-rest");
        assertEquals("b", issued.token());
        assertEquals(Duration.ofHours(1), issued.expiresIn());
        assertEquals(List.of("read"), issued.scopes());
        FakeService.Received sent = service.last();
        assertEquals(ACCESS_KEY, sent.headers.get("x-svc-access-key"));
        assertEquals(TOKEN, sent.headers.get("x-svc-token"));
        assertEquals("true", sent.headers.get("x-auto-is-sensitive"));
        assertEquals(service.url(), sent.headers.get("origin"));
        assertEquals(Map.of("audience", "svc-rest"), sent.json());
    }

    @Test
    @DisplayName("(contract 2) a response is read by its fields, those of a later service too")
    void readsAnswers() {
        service.on("GET /svc/api/devices", 200, "[{\"udid\":\"p-1\",\"tags\":[\"left shelf\"],\"team\":null,"
            + "\"session\":{\"id\":\"s-1\",\"startedAt\":\"2026-01-01T00:00:00.000Z\"},\"colour\":\"red\"}]");
        ApiObject device = client.request("GET", "/devices").list().get(0);
        assertEquals(Optional.of("p-1"), device.text("udid"));
        assertEquals(List.of("left shelf"), device.texts("tags"));
        assertEquals(Optional.empty(), device.text("team"));
        ApiObject session = device.object("session").orElseThrow();
        assertEquals(Optional.of(Instant.parse("2026-01-01T00:00:00Z")), session.instant("startedAt"));
        assertEquals("red", device.fields().get("colour"));
        assertThrows(UnsupportedOperationException.class, () -> device.fields().clear());
    }

    @Test
    @DisplayName("(contract 1) a refusal tells status, code, message, request id and its other fields")
    void tellsRefusals() {
        service.on("POST /svc/api/leases", request -> answer(409,
            "{\"error\":\"device_busy\",\"message\":\"All are busy\",\"retryAfter\":7}", Map.of("X-Request-Id", "r-1")));
        SvcException refused = assertThrows(SvcException.class, () -> client.lease(LeaseInput.platform("Android")));
        assertEquals(409, refused.status());
        assertEquals("device_busy", refused.code());
        assertEquals("device_busy: All are busy", refused.getMessage());
        assertEquals(Optional.of("r-1"), refused.requestId());
        assertEquals(Map.of("retryAfter", 7L), refused.details());
    }

    @Test
    @DisplayName("what is no answer of the service is told by its status alone")
    void tellsStrangeAnswers() {
        for (String body : List.of("<html>" + TOKEN, "[]", "{\"error\":5}", "{\"a\":\"" + TOKEN, "")) {
            service.on("GET /svc/api/auth/me", 502, body);
            SvcException refused = assertThrows(SvcException.class, client::me);
            assertEquals(SvcException.UNEXPECTED_ANSWER, refused.code());
            assertEquals(502, refused.status());
            assertNoSecret(refused);
        }
        for (String body : List.of("<html>" + TOKEN, "{\"a\":\"" + TOKEN, "", "{}", "[1]", "[{}]", "[{\"udid\":5}]", "nul", "-", "[".repeat(100_000))) {
            service.on("POST /svc/api/leases", 200, body);
            SvcException refused = assertThrows(SvcException.class, () -> client.lease(LeaseInput.udid("p-1")).udid(), body);
            assertEquals(SvcException.UNEXPECTED_ANSWER, refused.code());
            assertNoSecret(refused);
        }
    }

    @Test
    @DisplayName("a server that repeats what it was sent gets no secret into an exception")
    void repeatsNoSecret() {
        service.on("GET /svc/api/auth/me", request -> answer(401, "{\"error\":\"no " + request.headers.get("x-svc-token")
            + "\",\"message\":\"" + request.headers.get("x-svc-access-key") + "\",\"headers\":[\"" + TOKEN + "\"],\"kept\":1}"));
        SvcException refused = assertThrows(SvcException.class, client::me);
        assertNoSecret(refused);
        assertEquals("no …: …", refused.getMessage());
        assertEquals(Map.of("kept", 1L), refused.details());
    }

    @Test
    @DisplayName("a redirect is not followed: it would carry the pair to the server it names")
    void followsNoRedirect() throws IOException {
        try (FakeService other = new FakeService()) {
            service.on("GET /svc/api/auth/me", request -> answer(307, "", Map.of("Location", other.url() + "/svc/api/auth/me")));
            assertEquals(307, assertThrows(SvcException.class, client::me).status());
            assertEquals(List.of(), other.lines());
        }
        HttpClient follows = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build();
        assertThrows(IllegalArgumentException.class, () -> SvcClient.builder().httpClient(follows));
    }

    @Test
    @DisplayName("no answer is an exception with status 0, and an interrupt stays one")
    void tellsNoAnswer() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        SvcClient nobody = SvcClient.builder().url("http://127.0.0.1:" + port).keyPair(ACCESS_KEY, TOKEN).build();
        SvcException refused = assertThrows(SvcException.class, nobody::me);
        assertEquals(0, refused.status());
        assertEquals(SvcException.UNREACHABLE, refused.code());
        assertNull(refused.getCause());
        assertEquals(nobody.url() + " did not answer (ConnectException)", refused.getMessage());
        Thread.currentThread().interrupt();
        assertThrows(SvcException.class, client::me);
        assertTrue(Thread.interrupted());
    }

    @Test
    @DisplayName("an answer that begins and does not end is over with the timeout")
    void endsSlowAnswers() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            Thread server = new Thread(() -> {
                try {
                    Socket connection = socket.accept();
                    connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{".getBytes());
                    connection.getInputStream().readAllBytes();
                    connection.close();
                } catch (IOException e) {
                    // The socket was closed because the test has ended.
                }
            });
            server.setDaemon(true);
            server.start();
            SvcClient hasty = SvcClient.builder().url("http://127.0.0.1:" + socket.getLocalPort()).keyPair(ACCESS_KEY, TOKEN)
                .timeout(Duration.ofMillis(300)).build();
            assertEquals(SvcException.UNREACHABLE, assertThrows(SvcException.class, hasty::me).code());
        }
    }

    @Test
    @DisplayName("a value cannot leave its place in a path, and a path is one of the service")
    void keepsPlaces() {
        service.on("GET /svc/api/session/a/b/report", 200, "{\"id\":\"wrong\"}");
        assertThrows(SvcException.class, () -> client.sessionReport("a/b"));
        assertEquals("GET /svc/api/session/a%2Fb/report", service.last().line);
        assertThrows(SvcException.class, () -> client.endSession("é ?#%2e\\"));
        assertEquals("DELETE /svc/api/session/%C3%A9%20%3F%23%252e%5C", service.last().line);
        int before = service.lines().size();
        for (String value : new String[] {"", ".", "..", null}) {
            assertThrows(IllegalArgumentException.class, () -> client.sessionReport(value));
        }
        for (String path : List.of("", "devices", "//evil.example", "/../auth", "/a/..", "/a/./b", "/a?b", "/a#b", "/a b", "/@evil")) {
            assertThrows(IllegalArgumentException.class, () -> client.request("GET", path), path);
        }
        assertThrows(IllegalArgumentException.class, () -> client.request("GET", "/session/{id}").send());
        assertThrows(IllegalArgumentException.class, () -> client.request("GE T", "/devices"));
        assertEquals(before, service.lines().size());
    }

    @Test
    @DisplayName("(contract 2) any route can be asked for, with a query and without an answer's body")
    void asksForAnyRoute() {
        service.on("GET /svc/api/audit", 200, "{\"items\":[],\"next\":null}");
        client.request("GET", "/audit").query("limit", 5).query("before", null).query("search", "a&b=c").object();
        assertEquals("GET /svc/api/audit?limit=5&search=a%26b%3Dc", service.last().line);
        service.on("DELETE /svc/api/teams/t-1", 204, "");
        assertNull(client.request("DELETE", "/teams/{id}").param("id", "t-1").send());
        assertNull(service.last().headers.get("content-type"));
    }

    @Test
    @DisplayName("(contract 2, leases) a lease is extended, given back once with its block, and one that is over is no error")
    void leases() {
        service.on("POST /svc/api/leases", 201, "{\"leaseId\":\"l-1\",\"leaseToken\":\"svcl_secret\",\"udid\":\"p-1\",\"expiresAt\":\"2026-01-01T00:30:00.000Z\"}");
        service.on("PATCH /svc/api/leases/l-1", 200, "{\"leaseId\":\"l-1\",\"udid\":\"p-1\",\"expiresAt\":\"2026-01-01T01:00:00.000Z\"}");
        service.on("DELETE /svc/api/leases/l-1", 404, "{\"error\":\"not_found\"}");
        try (PhoneLease lease = client.lease(LeaseInput.platform("Android").tags("a", "b").minutes(30).queueSeconds(5))) {
            assertEquals(
                Map.of("minutes", 30L, "platform", "Android", "tags", List.of("a", "b"), "queueSeconds", 5L),
                service.last().json());
            assertEquals(Instant.parse("2026-01-01T01:00:00Z"), lease.extend(60));
            assertEquals(Map.of("minutes", 60L), service.last().json());
            assertEquals("PhoneLease[p-1 until 2026-01-01T01:00:00Z]", lease.toString());
        }
        assertEquals("DELETE /svc/api/leases/l-1", service.last().line);
        service.on("DELETE /svc/api/leases/l-1", 503, "{\"error\":\"unavailable\"}");
        PhoneLease lease = client.lease(LeaseInput.udid("p-1"));
        assertEquals(503, assertThrows(SvcException.class, lease::end).status());
    }

    @Test
    @DisplayName("(specification 5.1) what is printed of a client and its answers holds no secret")
    void printsNoSecret() {
        service.on("POST /svc/api/auth/token", 200, "{\"token\":\"" + TOKEN + "\",\"expiresIn\":1,\"audience\":\"svc-rest\",\"scopes\":[]}");
        service.on("POST /svc/api/profile/tokens", 201, "{\"id\":\"t-1\",\"token\":\"" + TOKEN + "\"}");
        List<Object> printed = List.of(client, client.connection(), client.fixedConnection(), new KeyPair(ACCESS_KEY, TOKEN),
            client.issueBearer("svc-rest"), client.request("POST", "/profile/tokens").body(Map.of("name", "n")).object(),
            client.request("POST", "/users").body(Map.of("password", TOKEN)));
        String all = printed.stream().map(String::valueOf).collect(Collectors.joining("\n"));
        assertFalse(all.contains(TOKEN) || all.contains(ACCESS_KEY), all);
        assertTrue(all.contains("ApiObject[id=t-1]"), all);
    }

    private static void assertNoSecret(Throwable error) {
        java.io.StringWriter trace = new java.io.StringWriter();
        error.printStackTrace(new java.io.PrintWriter(trace));
        assertFalse(trace.toString().contains(TOKEN) || trace.toString().contains(ACCESS_KEY), trace.toString());
    }
}
