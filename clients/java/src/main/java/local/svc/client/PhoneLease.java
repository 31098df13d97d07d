package local.svc.client;

import java.time.Instant;
import java.util.Map;

/** A phone reserved until it is given back or {@link #expiresAt()}. The lease is not extended automatically. */
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

    /** Secret: a session that is created with it gets the phone. */
    public String leaseToken() {
        return leaseToken;
    }

    public String udid() {
        return udid;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** A connection for drivers on this phone. */
    public SvcConnection connection() {
        return client.connection().withLease(this);
    }

    /** Sets the lease to end {@code minutes} (1 to 480) from now, and returns the new end. */
    public Instant extend(int minutes) {
        SvcRequest request = client.request("PATCH", "/leases/{id}").param("id", leaseId);
        expiresAt = request.body(Map.of("minutes", minutes)).object().requiredInstant("expiresAt");
        return expiresAt;
    }

    /** Gives the phone back, without an error if the lease has ended. A session on the phone continues. */
    public void end() {
        try {
            client.request("DELETE", "/leases/{id}").param("id", leaseId).send();
        } catch (SvcException e) {
            if (e.status() != 404) throw e;
        }
    }

    /** Calls {@link #end()}. */
    @Override
    public void close() {
        end();
    }

    Map<String, Object> createFields() {
        return Map.of("leaseId", leaseId, "leaseToken", leaseToken);
    }

    /** Does not contain the lease token. */
    @Override
    public String toString() {
        return "PhoneLease[" + udid + " until " + expiresAt + "]";
    }
}
