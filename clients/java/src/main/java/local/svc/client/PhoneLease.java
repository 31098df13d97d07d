package local.svc.client;

import java.time.Instant;
import java.util.Map;

/** A phone kept until it is given back or {@link #expiresAt()}; it is not extended by itself. */
public final class PhoneLease implements AutoCloseable {
    private final SvcClient client;
    private final String leaseId;
    private final String leaseToken;
    private final String udid;
    private volatile Instant expiresAt;

    PhoneLease(SvcClient client, ApiObject made) {
        this.client = client;
        leaseId = made.required("leaseId");
        leaseToken = made.required("leaseToken");
        udid = made.required("udid");
        expiresAt = made.requiredInstant("expiresAt");
    }

    public String leaseId() {
        return leaseId;
    }

    /** Secret: whoever creates a session with it gets the phone. */
    public String leaseToken() {
        return leaseToken;
    }

    public String udid() {
        return udid;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** For drivers on this phone. */
    public SvcConnection connection() {
        return client.connection().withLease(this);
    }

    /** So many minutes from now, 1 to 480; answers the new end. */
    public Instant extend(int minutes) {
        SvcRequest request = client.request("PATCH", "/leases/{id}").param("id", leaseId);
        expiresAt = request.body(Map.of("minutes", minutes)).object().requiredInstant("expiresAt");
        return expiresAt;
    }

    /** Gives the phone back; nothing happens when the lease is over. A session on it goes on. */
    public void end() {
        try {
            client.request("DELETE", "/leases/{id}").param("id", leaseId).send();
        } catch (SvcException e) {
            if (e.status() != 404) throw e;
        }
    }

    /** As {@link #end()}. */
    @Override
    public void close() {
        end();
    }

    Map<String, Object> createFields() {
        return Map.of("leaseId", leaseId, "leaseToken", leaseToken);
    }

    /** Without the lease token. */
    @Override
    public String toString() {
        return "PhoneLease[" + udid + " until " + expiresAt + "]";
    }
}
