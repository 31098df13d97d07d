package local.svc.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A phone that the caller is allowed to see. */
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

    /** Returns the status: {@code free}, {@code busy} or {@code away}. */
    public String status() {
        return required("status");
    }

    public List<String> tags() {
        return texts("tags");
    }

    /**
     * Returns the lease of the phone, with {@code owner} and {@code expiresAt}, or empty if the phone is not leased.
     */
    public Optional<ApiObject> lease() {
        return object("lease");
    }

    /** Returns the session on the phone, or empty if there is no session or the caller is not allowed to see it. */
    public Optional<ApiObject> session() {
        return object("session");
    }
}
