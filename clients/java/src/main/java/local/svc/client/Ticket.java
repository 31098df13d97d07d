package local.svc.client;

import java.time.Duration;
import java.util.Map;

/** A ticket that is good once, for one thing, for a short time. */
public final class Ticket extends ApiObject {
    Ticket(Map<String, Object> fields) {
        super(fields);
    }

    /** Secret: it goes into the {@code ticket} of an address and into no log. */
    public String ticket() {
        return required("ticket");
    }

    public Duration expiresIn() {
        return Duration.ofSeconds(requiredNumber("expiresIn"));
    }
}
