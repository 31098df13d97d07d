package local.svc.client;

import java.util.Map;

/** What every WebDriver command carries (specification 5.7.2). */
interface CommandCredential {
    /** Good now. */
    Map<String, String> headers();

    /** After a refusal of these headers: true when {@link #headers()} has others now. */
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
