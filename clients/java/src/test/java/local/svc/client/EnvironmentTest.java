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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvironmentTest {
    private static final Map<String, String> WHOLE =
        Map.of("SVC_URL", "https://Lab.example:4723/", "SVC_ACCESS_KEY", ACCESS_KEY, "SVC_TOKEN", TOKEN);

    @Test
    @DisplayName("a client is made of the variables that svc proxy reads, also of files with the secrets")
    void reads(@TempDir Path folder) throws IOException {
        assertEquals("https://lab.example:4723", SvcClient.fromEnv(WHOLE).url());
        try (FakeService service = new FakeService()) {
            service.on("GET /svc/api/auth/me", 200, "{\"id\":\"u-1\"}");
            String file = Files.writeString(folder.resolve("token"), TOKEN + "\n").toString();
            SvcClient.fromEnv(Map.of("SVC_URL", service.url(), "SVC_ACCESS_KEY", " " + ACCESS_KEY, "SVC_TOKEN_FILE", file)).me();
            assertEquals(TOKEN, service.last().headers.get("x-svc-token"));
            assertEquals(ACCESS_KEY, service.last().headers.get("x-svc-access-key"));
        }
    }

    @Test
    @DisplayName("without a key pair, the tokens that ci-login wrote in a CI job are used (contract 10.3)")
    void usesJobTokens() throws IOException {
        try (FakeService service = new FakeService()) {
            service.on("GET /svc/api/auth/me", 200, "{\"id\":\"u-1\"}");
            Map<String, String> job = Map.of("SVC_URL", service.url(), "SVC_ACCESS_TOKEN", "j.w.t", "SVC_SESSION_TOKEN", "s.w.t");
            SvcClient.fromEnv(job).me();
            assertEquals("Bearer j.w.t", service.last().headers.get("authorization"));
            Map<String, String> both = new HashMap<>(job);
            both.put("SVC_ACCESS_KEY", ACCESS_KEY);
            both.put("SVC_TOKEN", TOKEN);
            SvcClient.fromEnv(both).me();
            assertEquals(TOKEN, service.last().headers.get("x-svc-token"));
        }
    }

    @Test
    @DisplayName("what is missing is named, and no value is repeated")
    void names(@TempDir Path folder) throws IOException {
        for (String name : WHOLE.keySet()) {
            Map<String, String> without = new HashMap<>(WHOLE);
            without.put(name, " ");
            assertTrue(assertThrows(IllegalStateException.class, () -> SvcClient.fromEnv(without)).getMessage().contains(name));
        }
        String empty = Files.writeString(folder.resolve("empty"), "\n").toString();
        for (String file : List.of(empty, folder.resolve("none").toString(), "\0")) {
            Map<String, String> other = new HashMap<>(WHOLE);
            other.remove("SVC_TOKEN");
            other.put("SVC_TOKEN_FILE", file);
            String message = assertThrows(IllegalStateException.class, () -> SvcClient.fromEnv(other)).getMessage();
            assertTrue(message.contains("SVC_TOKEN_FILE"), message);
        }
        for (String secret : List.of(TOKEN + "\nHost: x", TOKEN + "é", TOKEN + " ")) {
            Map<String, String> other = new HashMap<>(WHOLE);
            other.put("SVC_TOKEN", "a" + secret + "b");
            String message = assertThrows(IllegalArgumentException.class, () -> SvcClient.fromEnv(other)).toString();
            assertFalse(message.contains(TOKEN), message);
        }
    }

    @Test
    @DisplayName("an address is scheme, host and port; any other is refused without repeating it")
    void takesOrigins() {
        List<String> wrong = List.of("lab.example", "ftp://lab.example", "https://me:" + TOKEN + "@lab.example", "https://lab.example/x",
            "https://lab.example?token=" + TOKEN, "https://lab.example#a", "https://", "http://a b/" + TOKEN, "http:lab", "");
        for (String address : wrong) {
            IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> SvcClient.builder().url(address), address);
            assertFalse(refused.toString().contains(TOKEN), refused.toString());
        }
        assertThrows(IllegalArgumentException.class, () -> SvcClient.builder().audience("svc-session"));
        assertThrows(IllegalStateException.class, () -> SvcClient.builder().url("http://[::1]:4723").build());
        assertThrows(IllegalArgumentException.class, () -> SvcClient.builder().keyPair(ACCESS_KEY, null));
        assertEquals("http://[::1]:4723", SvcClient.builder().url("http://[::1]:4723").bearer("b").build().url());
    }
}
