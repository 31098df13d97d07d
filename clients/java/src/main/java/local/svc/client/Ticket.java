package local.svc.client;

import java.time.Duration;
import java.util.Map;

/** Single-use secret that gives access to one thing, such as the preview of a phone, for a short time. */
public final class Ticket extends ApiObject {
    Ticket(Map<String, Object> fields) {
        super(fields);
    }

    /**
     * Returns the ticket, which is secret. Send it as the query parameter {@code ticket}, and do not log the URL with
     * it.
     */
    public String ticket() {
        return required("ticket");
    }

    public Duration expiresIn() {
        return Duration.ofSeconds(requiredNumber("expiresIn"));
    }
}
