package local.svc.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/** Request body of the type `multipart/form-data` with one file, which is read from the disk while the body is sent. */
final class Multipart {
    private final String boundary = "svc-" + UUID.randomUUID();
    private final Path file;
    private final byte[] head;
    private final byte[] tail;

    Multipart(String field, Path file) {
        this.file = file;
        String name = String.valueOf(file.getFileName()).replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
        String disposition = "Content-Disposition: form-data; name=\"" + field + "\"; filename=\"" + name + "\"";
        head = bytes("--" + boundary + "\r\n" + disposition + "\r\nContent-Type: application/octet-stream\r\n\r\n");
        tail = bytes("\r\n--" + boundary + "--\r\n");
    }

    String contentType() {
        return "multipart/form-data; boundary=" + boundary;
    }

    /**
     * Returns the body with a known length. The request then has a `Content-Length`, by which a server can refuse a
     * file that is too large before the file is sent.
     */
    BodyPublisher publisher() throws IOException {
        long length = head.length + Files.size(file) + tail.length;
        return BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(this::open), length);
    }

    private InputStream open() {
        try {
            InputStream content = Files.newInputStream(file);
            List<InputStream> parts = List.of(new ByteArrayInputStream(head), content, new ByteArrayInputStream(tail));
            return new SequenceInputStream(Collections.enumeration(parts));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
