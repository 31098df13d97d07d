package local.svc.client;

import java.time.Instant;
import java.util.Map;

/** App file that was uploaded to the service. A session installs it by its {@link #reference()}. */
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

    /** Returns the size of the file in bytes. */
    public long size() {
        return requiredNumber("size");
    }

    /** Returns the SHA-256 of the file in hexadecimal. */
    public String sha256() {
        return required("sha256");
    }

    public Instant createdAt() {
        return requiredInstant("createdAt");
    }

    /** Returns the reference by which a session uses the app: {@code options.setApp(app.reference())}. */
    public String reference() {
        return "svc:app/" + id();
    }
}
