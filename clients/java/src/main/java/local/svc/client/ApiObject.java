package local.svc.client;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A JSON object in a response. {@link #fields()} contains all its fields, including those for which this class has no
 * method, for example because a later version of the service added them.
 */
public class ApiObject {
    private final Map<String, Object> fields;

    ApiObject(Map<String, Object> fields) {
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * Returns the parsed fields: text, {@code Long}, {@code Double}, {@code Boolean}, lists, maps and null. They may
     * contain a secret, so do not log them.
     */
    public final Map<String, Object> fields() {
        return fields;
    }

    /** Returns the text of a field, or empty if the field is null, absent or not text. */
    public final Optional<String> text(String name) {
        return typed(name, String.class);
    }

    /** Returns the object in a field, or empty if the field is null, absent or not an object. */
    public final Optional<ApiObject> object(String name) {
        return asObject(fields.get(name)).map(ApiObject::new);
    }

    /** Returns the texts in a field, or an empty list if the field is not a list. */
    public final List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object each : typed(name, List.class).orElse(List.of())) texts.add(String.valueOf(each));
        return Collections.unmodifiableList(texts);
    }

    final Optional<Instant> instant(String name) {
        try {
            return text(name).map(Instant::parse);
        } catch (DateTimeParseException e) {
            throw missing(name);
        }
    }

    final String required(String name) {
        return text(name).orElseThrow(() -> missing(name));
    }

    final Instant requiredInstant(String name) {
        return instant(name).orElseThrow(() -> missing(name));
    }

    final long requiredNumber(String name) {
        return typed(name, Number.class).map(Number::longValue).orElseThrow(() -> missing(name));
    }

    private <T> Optional<T> typed(String name, Class<T> type) {
        Object value = fields.get(name);
        return type.isInstance(value) ? Optional.of(type.cast(value)) : Optional.empty();
    }

    private static SvcException missing(String name) {
        String message = "The response has no usable field " + name;
        return new SvcException(0, SvcException.UNEXPECTED_ANSWER, null, message, Map.of());
    }

    static Optional<Map<String, Object>> asObject(Object value) {
        if (!(value instanceof Map)) return Optional.empty();
        Map<String, Object> object = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((name, each) -> object.put(String.valueOf(name), each));
        return Optional.of(object);
    }

    static <T> List<T> listOf(List<Map<String, Object>> answer, Function<Map<String, Object>, T> make) {
        List<T> made = new ArrayList<>(answer.size());
        for (Map<String, Object> each : answer) made.add(make.apply(each));
        return Collections.unmodifiableList(made);
    }

    /** Returns the type and the id. Other fields are left out, because they may contain a secret. */
    @Override
    public final String toString() {
        for (String name : new String[] {"udid", "id", "leaseId"}) {
            Optional<String> value = text(name);
            if (value.isPresent()) return getClass().getSimpleName() + "[" + name + "=" + value.get() + "]";
        }
        return getClass().getSimpleName();
    }
}
