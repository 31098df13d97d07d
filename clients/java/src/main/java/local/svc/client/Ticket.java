package local.svc.client;

import java.time.Duration;
import java.util.Map;

/** A ticket that is valid once, for one purpose and a short time. */
public final class Ticket extends ApiObject {
    Ticket(Map<String, Object> fields) {
        super(fields);
    }

    /** Secret: put it into the {@code ticket} parameter of an address, and keep it out of logs. */
    public String ticket() {
        return required("ticket");
    }

    public Duration expiresIn() {
        return Duration.ofSeconds(requiredNumber("expiresIn"));
    }
}
