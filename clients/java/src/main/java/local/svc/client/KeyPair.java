package local.svc.client;

import java.util.Map;

/** An access key and one of its tokens (specification 5.1). */
public final class KeyPair {
    private final String accessKey;
    private final String token;

    /**
     * @throws IllegalArgumentException if one is missing or cannot be in a header, because such a pair would be refused
     */
    public KeyPair(String accessKey, String token) {
        this.accessKey = Secrets.usable("The access key", accessKey);
        this.token = Secrets.usable("The token", token);
    }

    Map<String, String> headers() {
        return Map.of("x-svc-access-key", accessKey, "x-svc-token", token);
    }

    /** The pair as fields of {@code svc:options}. */
    Map<String, Object> createFields() {
        return Map.of("accessKey", accessKey, "token", token);
    }

    /** Does not contain the values. */
    @Override
    public String toString() {
        return "KeyPair";
    }
}
