package local.svc.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.json.JsonException;

/**
 * Adds credentials or a lease to the {@code svc:options} in the body of a W3C create-session request (specification
 * 5.4.1).
 */
final class CreateBody {
    private static final String NAMESPACE = "svc:options";
    private static final List<String> CREDENTIALS = List.of("accessKey", "token", "sessionToken");

    private CreateBody() {}

    /**
     * Returns the body with the fields added, or empty if the text is not the body of a W3C create-session request. If
     * the fields contain credentials, all credentials that {@code svc:options} already contains are removed first.
     * Otherwise, the service could use a key pair from the original body instead of the added session token.
     */
    static Optional<String> with(String text, Map<String, Object> fields) {
        Optional<Map<String, Object>> body = parse(text);
        Optional<Map<String, Object>> wanted = body.flatMap(each -> ApiObject.asObject(each.get("capabilities")));
        if (wanted.isEmpty()) return Optional.empty();
        Map<String, Object> changed = body.get();
        changed.put("capabilities", attachToMatches(wanted.get(), fields));
        return Optional.of(new Json().toJson(changed));
    }

    private static Optional<Map<String, Object>> parse(String text) {
        try {
            return ApiObject.asObject(new Json().toType(text, Object.class));
        } catch (JsonException e) {
            return Optional.empty();
        }
    }

    /**
     * Adds the fields to {@code svc:options} in {@code alwaysMatch}, and creates {@code alwaysMatch} if it is missing.
     * If only {@code firstMatch} entries contain {@code svc:options}, adds the fields to every entry instead, because
     * Appium refuses a capability that is in both {@code alwaysMatch} and {@code firstMatch}.
     */
    private static Map<String, Object> attachToMatches(Map<String, Object> wanted, Map<String, Object> fields) {
        Map<String, Object> always = ApiObject.asObject(wanted.get("alwaysMatch")).orElseGet(LinkedHashMap::new);
        List<Map<String, Object>> entries = entriesOf(wanted.get("firstMatch"));
        boolean inEntries = entries.stream().anyMatch(entry -> entry.containsKey(NAMESPACE));
        boolean inAlways = always.containsKey(NAMESPACE) || !inEntries;
        if (inAlways) attach(always, fields);
        for (Map<String, Object> entry : entries) {
            if (!inAlways || entry.containsKey(NAMESPACE)) attach(entry, fields);
        }
        if (inAlways) wanted.put("alwaysMatch", always);
        if (wanted.containsKey("firstMatch")) wanted.put("firstMatch", entries);
        return wanted;
    }

    private static List<Map<String, Object>> entriesOf(Object firstMatch) {
        List<Map<String, Object>> entries = new ArrayList<>();
        if (firstMatch instanceof List) {
            for (Object each : (List<?>) firstMatch) ApiObject.asObject(each).ifPresent(entries::add);
        }
        return entries;
    }

    private static void attach(Map<String, Object> capabilities, Map<String, Object> fields) {
        Map<String, Object> options = ApiObject.asObject(capabilities.get(NAMESPACE)).orElseGet(LinkedHashMap::new);
        if (fields.keySet().stream().anyMatch(CREDENTIALS::contains)) options.keySet().removeAll(CREDENTIALS);
        options.putAll(fields);
        capabilities.put(NAMESPACE, options);
    }
}
