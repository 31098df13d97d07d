package local.svc.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A bearer token that the service has issued, with its lifetime and scopes (specification 5.3). */
public final class IssuedBearer extends ApiObject {
    IssuedBearer(Map<String, Object> fields) {
        super(fields);
    }

    /** Returns the token, which is secret. */
    public String token() {
        return required("token");
    }

    public Duration expiresIn() {
        return Duration.ofSeconds(requiredNumber("expiresIn"));
    }

    public String audience() {
        return required("audience");
    }

    public List<String> scopes() {
        return texts("scopes");
    }

    /**
     * Returns the session token, a secret that proves the owner when a session is created. Empty unless this is an
     * {@code svc-mcp} token with the scope to create sessions.
     */
    public Optional<String> sessionToken() {
        return text("sessionToken");
    }
}
