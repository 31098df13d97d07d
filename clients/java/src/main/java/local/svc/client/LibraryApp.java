package local.svc.client;

import java.time.Instant;
import java.util.Map;

/** An app of the library. */
public final class LibraryApp extends ApiObject {
    LibraryApp(Map<String, Object> fields) {
        super(fields);
    }

    public String id() {
        return required("id");
    }

    public String name() {
        return required("name");
    }

    /** Bytes. */
    public long size() {
        return requiredNumber("size");
    }

    /** Hex. */
    public String sha256() {
        return required("sha256");
    }

    public Instant createdAt() {
        return requiredInstant("createdAt");
    }

    /** The reference to use in a session, as in {@code options.setApp(app.reference())}. */
    public String reference() {
        return "svc:app/" + id();
    }
}
