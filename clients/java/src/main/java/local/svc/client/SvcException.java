package local.svc.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Exception for a request that the service refused or did not respond to. It contains nothing that was sent. */
public final class SvcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Value of {@link #code()} if there was no response. */
    public static final String UNREACHABLE = "unreachable";
    /** Value of {@link #code()} if the response did not come from the service. */
    public static final String UNEXPECTED_ANSWER = "unexpected_answer";

    private final int status;
    private final String code;
    private final String requestId;
    private final transient Map<String, Object> details;

    SvcException(int status, String code, String requestId, String message, Map<String, Object> details) {
        super(message);
        this.status = status;
        this.code = code;
        this.requestId = requestId;
        this.details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    static SvcException unreachable(String message) {
        return new SvcException(0, UNREACHABLE, null, message, Map.of());
    }

    static SvcException unexpected(int status, String requestId) {
        boolean redirects = status >= 300 && status <= 399;
        String why = redirects ? "A redirect is not followed; configure the service's own address" : "Not an answer of the service";
        String message = why + " (status " + status + ")";
        return new SvcException(status, UNEXPECTED_ANSWER, requestId, message, Map.of());
    }

    /** Returns the HTTP status, or 0 if there was no response. */
    public int status() {
        return status;
    }

    /**
     * Returns the field {@code error} of the response, such as {@code device_busy}, or {@link #UNREACHABLE} or {@link
     * #UNEXPECTED_ANSWER}.
     */
    public String code() {
        return code;
    }

    /** Returns the {@code X-Request-Id} of the response, by which the operator of the service can find the request. */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    /** Returns the other fields of the response, such as {@code scopes}, {@code required} or {@code retryAfter}. */
    public Map<String, Object> details() {
        return details == null ? Map.of() : details;
    }
}
