package local.svc.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads the environment variables that `svc proxy` and the dashboard's examples use. Its exceptions never contain a
 * value, because a value may be secret.
 */
final class Environment {
    private final Map<String, String> variables;

    Environment(Map<String, String> variables) {
        this.variables = variables;
    }

    SvcClientBuilder builder() {
        SvcClientBuilder builder = new SvcClientBuilder()
            .url(text("SVC_URL", "Set SVC_URL to the address of the lab, as in https://lab.example:4723"))
            .keyPair(secret("SVC_ACCESS_KEY"), secret("SVC_TOKEN"));
        String audience = given("SVC_AUDIENCE");
        return audience == null ? builder : builder.audience(audience);
    }

    private String given(String name) {
        String value = variables.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private String text(String name, String advice) {
        String value = given(name);
        if (value == null) throw new IllegalStateException(advice);
        return value;
    }

    private String secret(String name) {
        String value = given(name);
        if (value != null) return value;
        String file = text(name + "_FILE", "Set " + name + ", or " + name + "_FILE to a file that holds it");
        String content;
        try {
            content = Files.readString(Path.of(file)).strip();
        } catch (IOException | InvalidPathException e) {
            throw new IllegalStateException("The file that " + name + "_FILE names cannot be read");
        }
        if (content.isEmpty()) throw new IllegalStateException("The file that " + name + "_FILE names is empty");
        return content;
    }
}
