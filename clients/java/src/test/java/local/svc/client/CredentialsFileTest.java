package local.svc.client;

import static local.svc.client.FakeService.ACCESS_KEY;
import static local.svc.client.FakeService.TOKEN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsFileTest {
    private static final String ONE = "https://one.example:4723";
    private static final String ENTRY = "{\"accessKey\":\"" + ACCESS_KEY + "\",\"token\":\"" + TOKEN + "\"}";

    @TempDir
    Path home;

    private Map<String, String> store(String content, String mode) throws IOException {
        Path file = home.resolve(".config/svc/credentials.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return Map.of("HOME", home.toString());
    }

    private static Map<String, String> with(Map<String, String> variables, String... more) {
        Map<String, String> all = new HashMap<>(variables);
        for (int at = 0; at < more.length; at += 2) all.put(more[at], more[at + 1]);
        return all;
    }

    private static String refusalOf(Map<String, String> variables) {
        String message = assertThrows(IllegalStateException.class, () -> SvcClient.fromEnv(variables)).getMessage();
        assertFalse(message.contains(TOKEN), message);
        return message;
    }

    @Test
    @DisplayName("the pair that svc login stored is used if the environment names none (contract 10.7)")
    void uses() throws IOException {
        try (FakeService service = new FakeService()) {
            service.on("GET /svc/api/auth/me", 200, "{\"id\":\"u-1\"}");
            Map<String, String> variables = store("{\"" + service.url() + "\":" + ENTRY + "}", "rw-------");
            SvcClient.fromEnv(variables).me();
            assertEquals(TOKEN, service.last().headers.get("x-svc-token"));
            assertEquals(ACCESS_KEY, service.last().headers.get("x-svc-access-key"));
            SvcClient.fromEnv(with(variables, "SVC_URL", service.url(), "SVC_ACCESS_KEY", "svc_env", "SVC_TOKEN", "svct_env")).me();
            assertEquals("svct_env", service.last().headers.get("x-svc-token"));
            assertTrue(refusalOf(with(variables, "SVC_URL", service.url(), "SVC_TOKEN", "svct_env")).contains("Set SVC_ACCESS_KEY"));
        }
    }

    @Test
    @DisplayName("the address chooses one of several entries (contract 10.7)")
    void chooses() throws IOException {
        Map<String, String> variables = store("{\"" + ONE + "\":" + ENTRY + ",\"https://two.example\":" + ENTRY + "}", "rw-------");
        assertEquals("https://two.example", SvcClient.fromEnv(with(variables, "SVC_URL", "https://two.example/")).url());
        assertTrue(refusalOf(variables).endsWith(ONE + ", https://two.example"));
        assertTrue(refusalOf(with(variables, "SVC_URL", "https://three.example")).contains("svc login https://three.example"));
        assertTrue(refusalOf(Map.of()).contains("svc login <address>"));
    }

    @Test
    @DisplayName("a file that others can read, or that is not valid, is refused without repeating it (contract 10.7)")
    void refuses() throws IOException {
        for (String mode : List.of("rw-r-----", "rw----r--", "rw-r--r--")) {
            assertTrue(refusalOf(store("{\"" + ONE + "\":" + ENTRY + "}", mode)).contains("chmod 600"));
        }
        for (String content : List.of(TOKEN, "[]", "{\"" + ONE + "\":\"" + TOKEN + "\"}", "{\"" + ONE + "\":{\"token\":\"" + TOKEN + "\"}}")) {
            assertTrue(refusalOf(store(content, "rw-------")).contains("is not valid"));
        }
    }

    @Test
    @DisplayName("XDG_CONFIG_HOME names the folder if it is absolute (contract 10.7)")
    void finds() {
        Path file = Path.of("svc", "credentials.json");
        assertEquals(Optional.of(Path.of("/xdg").resolve(file)), CredentialsFile.path(Map.of("XDG_CONFIG_HOME", "/xdg", "HOME", "/h")));
        assertEquals(Optional.of(Path.of("/h/.config").resolve(file)), CredentialsFile.path(Map.of("XDG_CONFIG_HOME", "x", "HOME", "/h")));
        assertEquals(Optional.empty(), CredentialsFile.path(Map.of()));
    }
}
