package local.svc.client;

import java.util.Map;

/** The credential of every WebDriver command (specification 5.7.2). */
interface CommandCredential {
    /** Headers that are valid now. */
    Map<String, String> headers();

    /** Called after these headers were refused. Returns whether {@link #headers()} returns others now. */
    default boolean renewAfter(Map<String, String> refused) {
        return false;
    }

    static CommandCredential fixed(Map<String, String> headers) {
        return () -> headers;
    }

    static CommandCredential of(RenewedBearer bearer) {
        return new CommandCredential() {
            @Override
            public Map<String, String> headers() {
                return bearerHeaders(bearer.current());
            }

            @Override
            public boolean renewAfter(Map<String, String> refused) {
                return bearer.renewAfter(refused.get("Authorization").substring("Bearer ".length()));
            }
        };
    }

    static Map<String, String> bearerHeaders(String token) {
        return Map.of("Authorization", "Bearer " + token);
    }
}
