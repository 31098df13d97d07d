"""Uploads of a file as ``multipart/form-data``. The file is read while it is sent."""

from __future__ import annotations

import os
import uuid
from typing import BinaryIO


class Upload:
    """A request body with one file field, which the HTTP client reads in pieces."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        boundary = uuid.uuid4().hex
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = (
            f"--{boundary}\r\n"
            f'Content-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        self._file = file
        self._head = head.encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        self._left = os.fstat(file.fileno()).st_size - file.tell()
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(len(self._head) + self._left + len(self._tail)),
        }

    def read(self, size: int = 65_536) -> bytes:
        """Returns the next piece of the body, or empty bytes at its end.

        If the file grows during the upload, the rest is left out, so that the body has the length in
        ``Content-Length``.
        """
        if self._head:
            piece, self._head = self._head, b""
            return piece
        if self._left > 0:
            piece = self._file.read(min(size, self._left))
            if not piece:
                raise OSError("the file became shorter while it was sent")
            self._left -= len(piece)
            return piece
        piece, self._tail = self._tail, b""
        return piece
