package local.svc.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A driver session that is running or has ended. */
public final class DriverSession extends ApiObject {
    DriverSession(Map<String, Object> fields) {
        super(fields);
    }

    public String id() {
        return required("id");
    }

    public Optional<String> name() {
        return text("name");
    }

    /** Returns the status: {@code running}, {@code ended}, {@code passed} or {@code failed}. */
    public String status() {
        return required("status");
    }

    /**
     * Returns the session's owner, an object with the fields {@code id} and {@code email}, or empty if the session has
     * no owner.
     */
    public Optional<ApiObject> owner() {
        return object("owner");
    }

    /**
     * Returns the session's phone, an object with the fields {@code udid}, {@code name} and {@code platform}, or empty
     * if the response names no phone.
     */
    public Optional<ApiObject> device() {
        return object("device");
    }

    public Instant startedAt() {
        return requiredInstant("startedAt");
    }

    /** Returns when the session ended, or empty while it runs. */
    public Optional<Instant> endedAt() {
        return instant("endedAt");
    }

    public Optional<String> failureReason() {
        return text("failureReason");
    }

    public List<String> tags() {
        return texts("tags");
    }
}
