package local.svc.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A bearer token (specification 5.3). */
public final class IssuedBearer extends ApiObject {
    IssuedBearer(Map<String, Object> fields) {
        super(fields);
    }

    /** Secret. */
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

    /** Secret that identifies the owner when creating a session, for an {@code svc-mcp} token with the scope for it. */
    public Optional<String> sessionToken() {
        return text("sessionToken");
    }
}
