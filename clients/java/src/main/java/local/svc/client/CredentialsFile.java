package local.svc.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The file in which `svc login` stores credentials, with one entry per address of a lab: `svc/credentials.json` in the
 * folder that `XDG_CONFIG_HOME` names, otherwise in `~/.config`. Its exceptions never contain what the file holds.
 */
final class CredentialsFile {
    private static final long LARGEST = 1024 * 1024;
    private static final Set<PosixFilePermission> OTHERS = Set.of(
        PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);

    private CredentialsFile() {}

    /**
     * Returns the stored key pairs. The keys of the map are the addresses of the labs. The map is empty if there is no
     * file.
     */
    static Map<String, KeyPair> pairs(Map<String, String> variables) {
        Path path = path(variables).orElse(null);
        String text = path == null ? null : read(path);
        if (text == null) return Map.of();
        Map<String, KeyPair> pairs = new LinkedHashMap<>();
        Map<String, Object> entries = Transport.parse(text).flatMap(ApiObject::asObject).orElseThrow(() -> invalid(path));
        entries.forEach((address, entry) -> pairs.put(address, pair(entry, path)));
        return pairs;
    }

    /** Returns the path of the file, or empty if the environment names no home folder. */
    static Optional<Path> path(Map<String, String> variables) {
        try {
            String config = variables.getOrDefault("XDG_CONFIG_HOME", "");
            // Ignore a relative path, because the XDG Base Directory Specification calls it invalid.
            if (!config.isEmpty() && Path.of(config).isAbsolute()) return Optional.of(Path.of(config, "svc", "credentials.json"));
            String home = variables.getOrDefault("HOME", "");
            if (home.isEmpty()) home = variables.getOrDefault("USERPROFILE", "");
            return home.isEmpty() ? Optional.empty() : Optional.of(Path.of(home, ".config", "svc", "credentials.json"));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static String read(Path path) {
        try {
            checkPrivate(path);
            if (Files.size(path) > LARGEST) throw new IllegalStateException(path + " is larger than a credentials file");
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new IllegalStateException(path + " cannot be read");
        }
    }

    private static void checkPrivate(Path path) throws IOException {
        Set<PosixFilePermission> permissions;
        try {
            permissions = Files.getPosixFilePermissions(path);
        } catch (UnsupportedOperationException e) {
            return; // The file system has no POSIX permissions to check.
        }
        if (permissions.stream().anyMatch(OTHERS::contains)) {
            throw new IllegalStateException("Other users can read " + path + ". Run: chmod 600 " + path);
        }
    }

    private static KeyPair pair(Object entry, Path path) {
        try {
            Map<String, Object> fields = ApiObject.asObject(entry).orElseThrow(() -> invalid(path));
            return new KeyPair((String) fields.get("accessKey"), (String) fields.get("token"));
        } catch (ClassCastException | IllegalArgumentException e) {
            throw invalid(path);
        }
    }

    private static IllegalStateException invalid(Path path) {
        return new IllegalStateException(path + " is not valid. Delete it and run svc login again");
    }
}
