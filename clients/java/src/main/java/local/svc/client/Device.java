package local.svc.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A phone that the caller may see. */
public final class Device extends ApiObject {
    Device(Map<String, Object> fields) {
        super(fields);
    }

    public String udid() {
        return required("udid");
    }

    public String name() {
        return required("name");
    }

    public String platform() {
        return required("platform");
    }

    public String osVersion() {
        return required("osVersion");
    }

    /** {@code free}, {@code busy} or {@code away}. */
    public String status() {
        return required("status");
    }

    public List<String> tags() {
        return texts("tags");
    }

    /** The lease on it, with {@code owner} and {@code expiresAt}. */
    public Optional<ApiObject> lease() {
        return object("lease");
    }

    /** The session that runs on it, if the caller may see the session too. */
    public Optional<ApiObject> session() {
        return object("session");
    }
}
