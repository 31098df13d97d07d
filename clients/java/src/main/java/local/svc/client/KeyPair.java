package local.svc.client;

import java.util.Map;

/**
 * Credential that consists of the access key of an account and a secret token of the same account (specification 5.1).
 */
public final class KeyPair {
    private final String accessKey;
    private final String token;

    /**
     * Checks both values, because the service would refuse an incomplete or malformed pair.
     *
     * @throws IllegalArgumentException if a value is missing or contains a character that a header cannot contain
     */
    public KeyPair(String accessKey, String token) {
        this.accessKey = Secrets.usable("The access key", accessKey);
        this.token = Secrets.usable("The token", token);
    }

    Map<String, String> headers() {
        return Map.of("x-svc-access-key", accessKey, "x-svc-token", token);
    }

    /**
     * Returns the pair as fields of {@code svc:options}, with which a create-session request proves whose session it
     * creates.
     */
    Map<String, Object> createFields() {
        return Map.of("accessKey", accessKey, "token", token);
    }

    /** Returns the class name only, because the values are secret. */
    @Override
    public String toString() {
        return "KeyPair";
    }
}
