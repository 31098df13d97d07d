package local.svc.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which phone to lease, and for how long. Example: {@code LeaseInput.platform("Android").tags("left
 * shelf").minutes(30)}.
 */
public final class LeaseInput {
    private static final int DEFAULT_MINUTES = 30;

    private final Map<String, Object> body;

    private LeaseInput(Map<String, Object> body) {
        this.body = body;
    }

    /** Requests one specific phone. */
    public static LeaseInput udid(String udid) {
        return new LeaseInput(Map.of("minutes", DEFAULT_MINUTES)).with("udid", udid);
    }

    /** Requests any phone of this platform. */
    public static LeaseInput platform(String platform) {
        return new LeaseInput(Map.of("minutes", DEFAULT_MINUTES)).with("platform", platform);
    }

    /**
     * Requests any phone that has all of these tags. Combine this method with {@link #platform} to restrict the
     * platform.
     */
    public static LeaseInput tagged(String... tags) {
        return new LeaseInput(Map.of("minutes", DEFAULT_MINUTES)).with("tags", List.of(tags));
    }

    public LeaseInput tags(String... tags) {
        return with("tags", List.of(tags));
    }

    /** Sets the length of the lease in minutes: 1 to 480; the default is 30. */
    public LeaseInput minutes(int minutes) {
        return with("minutes", minutes);
    }

    /**
     * Sets how many seconds the request waits for a phone if all matching ones are in use: 0 to 60; the default is 0.
     * The client's time limit for the request is extended by the same time.
     */
    public LeaseInput queueSeconds(int queueSeconds) {
        return with("queueSeconds", queueSeconds);
    }

    Duration queueTime() {
        return Duration.ofSeconds(Math.max(0, (Integer) body.getOrDefault("queueSeconds", 0)));
    }

    Map<String, Object> body() {
        return body;
    }

    private LeaseInput with(String name, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(body);
        changed.put(name, value);
        return new LeaseInput(changed);
    }

    @Override
    public String toString() {
        return "LeaseInput" + body;
    }
}
