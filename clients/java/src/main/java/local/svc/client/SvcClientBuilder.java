package local.svc.client;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;

/** Settings of a {@link SvcClient}: an address and one credential. */
public final class SvcClientBuilder {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private String url;
    private KeyPair pair;
    private String bearer;
    private String sessionToken;
    private String audience = "svc-rest";
    private boolean attachSessionCredentials = true;
    private Duration timeout = Duration.ofSeconds(30);
    private HttpClient http;

    SvcClientBuilder() {}

    /** Sets scheme, host and port of the service. */
    public SvcClientBuilder url(String url) {
        this.url = Transport.originOf(url);
        return this;
    }

    public SvcClientBuilder keyPair(String accessKey, String token) {
        return keyPair(new KeyPair(accessKey, token));
    }

    SvcClientBuilder keyPair(KeyPair pair) {
        this.pair = pair;
        bearer = null;
        return this;
    }

    /**
     * Sets a bearer token as the credential instead of a key pair. The token is not renewed, and it creates sessions
     * only together with a {@link #sessionToken session token}.
     */
    public SvcClientBuilder bearer(String token) {
        bearer = Secrets.usable("The bearer token", token);
        pair = null;
        return this;
    }

    /**
     * Sets the session token. A client with a bearer token needs it to create sessions. `ci-login` writes both tokens.
     */
    public SvcClientBuilder sessionToken(String token) {
        sessionToken = Secrets.usable("The session token", token);
        return this;
    }

    /** Sets the audience of the bearer token that commands carry: {@code svc-rest} (default) or {@code svc-mcp}. */
    public SvcClientBuilder audience(String audience) {
        if (!audience.equals("svc-rest") && !audience.equals("svc-mcp")) {
            throw new IllegalArgumentException("The audience must be svc-rest or svc-mcp");
        }
        this.audience = audience;
        return this;
    }

    /**
     * Sets whether create-session requests carry credentials in their capabilities (specification 5.7); true by
     * default.
     */
    public SvcClientBuilder attachSessionCredentials(boolean attach) {
        attachSessionCredentials = attach;
        return this;
    }

    /** Sets the timeout of one request, 30 s by default. It does not apply to uploads, which may take an hour. */
    public SvcClientBuilder timeout(Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) throw new IllegalArgumentException("The timeout must be more than zero");
        this.timeout = timeout;
        return this;
    }

    /**
     * Replaces the default HTTP client, for example to set a proxy or certificates. The client must not follow
     * redirects, because it would send the credentials to the server that a redirect names.
     */
    public SvcClientBuilder httpClient(HttpClient http) {
        if (http.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("A redirect would send the credentials to the server it names");
        }
        this.http = http;
        return this;
    }

    public SvcClient build() {
        if (url == null) throw new IllegalStateException("url is missing");
        if (pair == null && bearer == null) throw new IllegalStateException("keyPair or bearer is missing");
        HttpClient client = http != null ? http : HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .build();
        Map<String, String> headers = pair != null ? pair.headers() : CommandCredential.bearerHeaders(bearer);
        Map<String, Object> create = attachSessionCredentials ? createFields() : Map.of();
        return new SvcClient(new Transport(url, client, headers), timeout, headers, create, pair == null ? null : audience);
    }

    private Map<String, Object> createFields() {
        if (pair != null) return pair.createFields();
        return sessionToken == null ? Map.of() : Map.of("sessionToken", sessionToken);
    }
}
