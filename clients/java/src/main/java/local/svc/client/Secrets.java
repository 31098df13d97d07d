package local.svc.client;

final class Secrets {
    private Secrets() {}

    /**
     * Returns the value, or throws an exception without the value if it cannot be sent in a header. HTTP clients would
     * repeat such a value in their own exceptions.
     */
    static String usable(String name, String value) {
        if (value == null || value.isEmpty()) throw new IllegalArgumentException(name + " is missing");
        if (!value.chars().allMatch(each -> each > ' ' && each < 127)) {
            throw new IllegalArgumentException(name + " has a character that credentials cannot contain");
        }
        return value;
    }
}
