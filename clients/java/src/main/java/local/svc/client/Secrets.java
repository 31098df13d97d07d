package local.svc.client;

final class Secrets {
    private Secrets() {}

    /**
     * Refuses a value that cannot be sent without naming it, because HTTP clients repeat such a value in their
     * exceptions.
     */
    static String usable(String name, String value) {
        if (value == null || value.isEmpty()) throw new IllegalArgumentException(name + " is missing");
        if (!value.chars().allMatch(each -> each > ' ' && each < 127)) {
            throw new IllegalArgumentException(name + " has a character that credentials cannot contain");
        }
        return value;
    }
}
