/** Paths of the WebSockets of a session (BiDi, CDP, VNC), as a grid writes them into the session's capabilities. */
const SOCKETS = /^\/session\/[^/?#]+\/se\/(bidi|cdp|vnc)\/?$/;
const BIDI_OF_APPIUM = /^\/bidi\/[^/?#]+\/?$/;

interface Addresses {
  readonly id: string;
  /** Scheme (`ws` or `wss`), host, port and base path of this server. */
  readonly here: string;
  /** Base path of the grid. */
  readonly basePath: string;
}

/**
 * @returns the capabilities of a grid's session. Addresses of WebSockets are replaced by addresses of this server.
 * Other addresses are removed, because clients could use them to bypass this server.
 */
export function atEntrance(
  capabilities: Readonly<Record<string, unknown>>,
  addresses: Addresses,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(capabilities)) {
    if (!isAddress(name, value)) kept[name] = value;
    else {
      const here = addressHere(value, addresses);
      if (here !== null) kept[name] = here;
    }
  }
  return kept;
}

function isAddress(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || (name !== 'webSocketUrl' && !name.startsWith('se:'))) return false;
  return /^(?:wss?|https?):\/\//i.test(value);
}

/**
 * @returns the address of this server that replaces the address of a grid's WebSocket, or null if this server does not
 * forward to that kind of WebSocket
 */
function addressHere(value: string, { id, here, basePath }: Addresses): string | null {
  let path: string;
  try {
    path = new URL(value).pathname;
  } catch {
    return null;
  }
  for (const prefix of new Set([basePath, ''])) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    const socket = SOCKETS.exec(rest)?.[1];
    if (socket !== undefined) return `${here}/session/${id}/se/${socket}`;
    if (BIDI_OF_APPIUM.test(rest)) return `${here}/bidi/${id}`;
  }
  return null;
}
