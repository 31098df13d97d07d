import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Time (ms) within which the body of a create-session request, or of a request that needs no credentials, must arrive.
 * Without this limit, unauthenticated clients could keep such requests open.
 */
export const BODY_MS = 60_000;

/**
 * Returns whether a request arrived over HTTP/2. The HTTP/2 server that Appium uses sets `isSpdy` on such a request,
 * and reports its HTTP version as 1.1.
 */
export function isHttp2(req: IncomingMessage): boolean {
  return (req as { isSpdy?: boolean }).isSpdy === true;
}

export function mayHaveBody(req: IncomingMessage): boolean {
  // An HTTP/2 request with a body may have neither `Transfer-Encoding` nor `Content-Length`, because HTTP/2 sends
  // bodies in frames.
  if (isHttp2(req)) return true;
  const { headers } = req;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * If the body has not arrived completely within `withinMs`, responds with 408, as Node does, and closes the connection
 * or the HTTP/2 stream.
 */
export function closeSlowBody(req: IncomingMessage, res: ServerResponse, withinMs: number): void {
  const timer = setTimeout(() => {
    if (isHttp2(req)) closeStream(res);
    else closeConnection(req);
  }, withinMs).unref();
  const settle = (): void => clearTimeout(timer);
  req.once('end', settle).once('close', settle);
}

function closeConnection({ socket }: IncomingMessage): void {
  socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  socket.destroySoon();
}

/** Responds to the request and ends its stream, but not the HTTP/2 connection, because other requests use it too. */
function closeStream(res: ServerResponse): void {
  if (res.headersSent) return;
  res.writeHead(408, { 'Content-Length': '0' });
  res.end();
}
