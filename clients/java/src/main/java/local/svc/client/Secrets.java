package local.svc.client;

final class Secrets {
    private Secrets() {}

    /** HTTP clients repeat a value they refuse in their exceptions: one that cannot be sent is refused here, unnamed. */
    static String usable(String name, String value) {
        if (value == null || value.isEmpty()) throw new IllegalArgumentException(name + " is missing");
        if (!value.chars().allMatch(each -> each > ' ' && each < 127)) {
            throw new IllegalArgumentException(name + " has a character that no credential has");
        }
        return value;
    }
}
