package local.svc.client;

import java.time.Instant;
import java.util.Map;

/**
 * A phone that is reserved until {@link #end()} is called or {@link #expiresAt()} is reached. The lease is not extended
 * automatically.
 */
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

    /** Returns the lease token, which is secret, because anyone can create a session on the phone with it. */
    public String leaseToken() {
        return leaseToken;
    }

    public String udid() {
        return udid;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** Returns a connection with which drivers create their sessions on this phone. */
    public SvcConnection connection() {
        return client.connection().withLease(this);
    }

    /** Changes the end of the lease to {@code minutes} (1 to 480) from now, and returns the new end. */
    public Instant extend(int minutes) {
        SvcRequest request = client.request("PATCH", "/leases/{id}").param("id", leaseId);
        expiresAt = request.body(Map.of("minutes", minutes)).object().requiredInstant("expiresAt");
        return expiresAt;
    }

    /**
     * Gives the phone back. Does not throw if the lease has already ended. A session that runs on the phone continues.
     */
    public void end() {
        try {
            client.request("DELETE", "/leases/{id}").param("id", leaseId).send();
        } catch (SvcException e) {
            if (e.status() != 404) throw e;
        }
    }

    /** Gives the phone back like {@link #end()}, so that a try-with-resources statement can end the lease. */
    @Override
    public void close() {
        end();
    }

    Map<String, Object> createFields() {
        return Map.of("leaseId", leaseId, "leaseToken", leaseToken);
    }

    /** Returns a text without the lease token, because the token is secret. */
    @Override
    public String toString() {
        return "PhoneLease[" + udid + " until " + expiresAt + "]";
    }
}
