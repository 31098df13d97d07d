package local.svc.client;

import java.util.Map;

/** An access key with one of its tokens (specification 5.1). */
public final class KeyPair {
    private final String accessKey;
    private final String token;

    /** @throws IllegalArgumentException when one is missing or cannot stand in a header; half a pair is a failing pair */
    public KeyPair(String accessKey, String token) {
        this.accessKey = Secrets.usable("The access key", accessKey);
        this.token = Secrets.usable("The token", token);
    }

    Map<String, String> headers() {
        return Map.of("x-svc-access-key", accessKey, "x-svc-token", token);
    }

    /** As {@code svc:options} carries it. */
    Map<String, Object> createFields() {
        return Map.of("accessKey", accessKey, "token", token);
    }

    /** Without its values. */
    @Override
    public String toString() {
        return "KeyPair";
    }
}
