import type { IncomingMessage } from 'node:http';
import { mayHaveBody } from '@svc/webdriver-gate';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Accepted versions of the WebSocket protocol: 13 of RFC 6455, and 8 of a draft with the same format. */
const VERSIONS = new Set(['13', '8']);
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Returns whether a `GET` request has all headers of a WebSocket handshake (RFC 6455, 4.2.1) and no body. */
export function isWholeHandshake(request: IncomingMessage): boolean {
  const { headers } = request;
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return false;
  if (!VERSIONS.has(headers['sec-websocket-version'] ?? '')) return false;
  if (mayHaveBody(request)) return false;
  const protocols = headers['sec-websocket-protocol'];
  if (protocols === undefined) return true;
  const names = protocols.split(',').map((name) => name.trim());
  return names.every((name) => PROTOCOL.test(name)) && new Set(names).size === names.length;
}
