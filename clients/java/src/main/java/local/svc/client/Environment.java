package local.svc.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Reads the environment variables that `svc proxy` and the dashboard's examples use, and the credentials that `svc
 * login` stored. Its exceptions never contain a value, because a value may be secret.
 */
final class Environment {
    private static final List<String> PAIR_NAMES =
        List.of("SVC_ACCESS_KEY", "SVC_ACCESS_KEY_FILE", "SVC_TOKEN", "SVC_TOKEN_FILE");
    private static final String SET_URL = "Set SVC_URL to the address of the lab, as in https://lab.example:4723";

    private final Map<String, String> variables;

    Environment(Map<String, String> variables) {
        this.variables = variables;
    }

    SvcClientBuilder builder() {
        SvcClientBuilder builder;
        if (PAIR_NAMES.stream().anyMatch(name -> given(name) != null)) {
            builder = new SvcClientBuilder().url(text("SVC_URL", SET_URL)).keyPair(secret("SVC_ACCESS_KEY"), secret("SVC_TOKEN"));
        } else {
            builder = given("SVC_ACCESS_TOKEN") == null ? stored() : job();
        }
        String audience = given("SVC_AUDIENCE");
        return audience == null ? builder : builder.audience(audience);
    }

    /**
     * Returns a builder with the tokens in {@code SVC_ACCESS_TOKEN} and {@code SVC_SESSION_TOKEN}, which `ci-login`
     * sets in a CI job.
     */
    private SvcClientBuilder job() {
        SvcClientBuilder builder = new SvcClientBuilder().url(text("SVC_URL", SET_URL)).bearer(given("SVC_ACCESS_TOKEN"));
        String sessionToken = given("SVC_SESSION_TOKEN");
        return sessionToken == null ? builder : builder.sessionToken(sessionToken);
    }

    /**
     * Returns a builder with the key pair that `svc login` stored for the address in `SVC_URL`. If `SVC_URL` is not
     * set, uses the only stored key pair, and throws if several are stored.
     */
    private SvcClientBuilder stored() {
        String address = given("SVC_URL");
        String url = address == null ? null : Transport.originOf(address);
        Map<String, KeyPair> pairs = CredentialsFile.pairs(variables);
        if (url == null && pairs.size() > 1) {
            throw new IllegalStateException(
                "Set SVC_URL to one of the labs that you are signed in to: " + String.join(", ", pairs.keySet()));
        }
        if (url == null && pairs.isEmpty()) throw new IllegalStateException(SET_URL + ", or sign in with: svc login <address>");
        String chosen = url != null ? url : pairs.keySet().iterator().next();
        KeyPair pair = pairs.get(chosen);
        if (pair == null) {
            throw new IllegalStateException("Sign in with: svc login " + chosen + "\nIn a script, set SVC_ACCESS_KEY, or "
                + "SVC_ACCESS_KEY_FILE to a file that holds it, and SVC_TOKEN, or SVC_TOKEN_FILE");
        }
        return new SvcClientBuilder().url(chosen).keyPair(pair);
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
