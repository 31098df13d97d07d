package local.svc.client;

import java.util.Map;

/** Credential that every WebDriver command carries (specification 5.7.2). */
interface CommandCredential {
    /** Returns headers with a credential that is valid now. */
    Map<String, String> headers();

    /**
     * Renews the credential after the service refused these headers. Returns true if {@link #headers()} now returns
     * different headers, with which the command can be sent again.
     */
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
