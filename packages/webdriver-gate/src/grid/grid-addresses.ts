/** Paths of the session sockets whose addresses a grid puts into the capabilities of a session. */
const SOCKETS = /^\/session\/[^/?#]+\/se\/(bidi|cdp|vnc)\/?$/;
const BIDI_OF_APPIUM = /^\/bidi\/[^/?#]+\/?$/;

interface Addresses {
  readonly id: string;
  /** Scheme, host, port and base path of this server, for WebSockets. */
  readonly here: string;
  /** Base path of the grid. */
  readonly basePath: string;
}

/**
 * @returns the capabilities of a grid's session. Socket addresses are replaced by those of this server. Other addresses
 * are removed, because clients could use them to bypass this server.
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
 * @returns the address of this server that replaces a socket address of the grid, or null if this server does not
 * forward requests to that kind of socket
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
