package local.svc.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.openqa.selenium.json.Json;

/** HTTP server that responds as a test configures it and records the requests. */
public final class FakeService implements AutoCloseable {
    public static final String ACCESS_KEY = "svc_AAAAAAAAAAAAAAAAAAAAAAAA";
    public static final String TOKEN = "svct_a-secret-that-is-printed-nowhere";

    public static final class Received {
        public final String line;
        public final Map<String, String> headers;
        public final String body;

        Received(HttpExchange exchange) {
            line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            headers = exchange.getRequestHeaders().entrySet().stream().collect(Collectors.toMap(
                each -> each.getKey().toLowerCase(java.util.Locale.ROOT), each -> String.join(", ", each.getValue())));
            try {
                body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        public Map<String, Object> json() {
            return new Json().toType(body, Json.MAP_TYPE);
        }
    }

    public static final class Answer {
        final int status;
        final String body;
        final Map<String, String> headers;

        Answer(int status, String body, Map<String, String> headers) {
            this.status = status;
            this.body = body;
            this.headers = headers;
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Function<Received, Answer>> answers = new ConcurrentHashMap<>();
    private final List<Received> received = new CopyOnWriteArrayList<>();

    public FakeService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public static Answer answer(int status, String body) {
        return new Answer(status, body, Map.of());
    }

    public static Answer answer(int status, String body, Map<String, String> headers) {
        return new Answer(status, body, headers);
    }

    /**
     * Sets the handler of a request.
     *
     * @param line method and path of the request, without a query
     */
    public FakeService on(String line, Function<Received, Answer> handler) {
        answers.put(line, handler);
        return this;
    }

    public FakeService on(String line, int status, String body) {
        return on(line, request -> answer(status, body));
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public SvcClient client() {
        return SvcClient.builder().url(url()).keyPair(ACCESS_KEY, TOKEN).build();
    }

    public List<Received> received() {
        return List.copyOf(received);
    }

    public List<String> lines() {
        return received.stream().map(each -> each.line).collect(Collectors.toList());
    }

    public Received last() {
        return received.get(received.size() - 1);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Received request = new Received(exchange);
        received.add(request);
        String line = exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath();
        Answer answer = answers.getOrDefault(line, any -> answer(404, "{\"error\":\"not_found\"}")).apply(request);
        exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
        answer.headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
        byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
