package local.svc.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The one exception of this library for what the service refused or did not answer. Holds nothing that was sent. */
public final class SvcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** {@link #code()}: there was no answer. */
    public static final String UNREACHABLE = "unreachable";
    /** {@link #code()}: the answer was not one of the service. */
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
        String why = redirects ? "A redirect is not followed: say the service's own address" : "Not an answer of the service";
        String message = why + " (status " + status + ")";
        return new SvcException(status, UNEXPECTED_ANSWER, requestId, message, Map.of());
    }

    /** HTTP status; 0 when there was no answer. */
    public int status() {
        return status;
    }

    /** The literal {@code error} of the answer, such as {@code device_busy}, or one of the two constants here. */
    public String code() {
        return code;
    }

    /** The {@code X-Request-Id} of the answer, to give to the operator of the service. */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    /** The answer's other fields, such as {@code scopes}, {@code required} or {@code retryAfter}. */
    public Map<String, Object> details() {
        return details == null ? Map.of() : details;
    }
}
