import type { Caller } from '@svc/auth-core';
import { API_PREFIX, APP_REFERENCE, isRecord } from '@svc/contract';
import type { Admission } from '../admission.ts';
import { CreateRefused } from '../create-refused.ts';

export interface SessionAppsOptions {
  readonly library: { has(id: string): boolean };
  readonly tickets: {
    issue(
      caller: Caller,
      use: { readonly audience: 'svc-app-download'; readonly resource: string },
    ): Promise<{ readonly ticket: string }>;
  };
  /**
   * Returns the address at which drivers reach this server.
   * @param node name of the node with the drivers, or null for the drivers of this server
   * @returns the address, or null if it is not known yet
   */
  readonly baseUrl: (node: string | null) => string | null;
  /**
   * Address of the hub if this server is a node. Download addresses that the hub writes into create-session requests
   * begin with this address.
   */
  readonly hubUrl?: string | null;
}

/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const NAMES = ['app', 'otherApps'];
const PREFIXED = NAMES.map((name) => `appium:${name}`);
const MOST_NAMED = 16;
const DOWNLOADS = `${API_PREFIX}/apps/`;

/**
 * Replaces references to library apps (`svc:app/<id>`) in the capabilities of sessions by download addresses (contract
 * 2).
 */
export class SessionApps {
  readonly #options: SessionAppsOptions;

  constructor(options: SessionAppsOptions) {
    this.#options = options;
  }

  /**
   * @returns the library apps that these capabilities refer to, or null if they refer to none
   * @throws CreateRefused if an app does not exist, if there are too many, or if the client has no valid credentials
   */
  namedIn(admission: Admission, capabilities: unknown): NamedApps | null {
    if (admission.fromHub !== undefined) return this.#placedByHub(capabilities);
    const ids: string[] = [];
    replaceApps(capabilities, (id) => {
      ids.push(id);
      return `${APP_REFERENCE}${id}`;
    });
    if (ids.length === 0) return null;
    const { caller, lacksCredentials } = admission;
    if (lacksCredentials)
      throw notAvailable('apps of the library (svc:app/...) are for sessions with valid credentials');
    if (ids.length > MOST_NAMED)
      throw notAvailable(`a session names at most ${MOST_NAMED} apps of the library`);
    if (!ids.every((id) => this.#options.library.has(id)))
      throw notAvailable('the app library has no app of that id (svc:app/...)');
    return new NamedApps(ids, (id, node) => this.#addressOf(caller, id, node));
  }

  /**
   * Finds the download addresses that the hub has written into the capabilities, so that this node can hide them in the
   * responses of the driver.
   */
  #placedByHub(capabilities: unknown): NamedApps | null {
    const prefix = `${this.#options.hubUrl ?? ''}${DOWNLOADS}`;
    const names = new Map<string, string>();
    const note = (rest: string): string => {
      names.set(`${prefix}${rest}`, `${APP_REFERENCE}${rest.split('/', 1)[0]}`);
      return `${prefix}${rest}`;
    };
    replaceApps(capabilities, note, prefix);
    return names.size === 0 ? null : new NamedApps([], async () => '', names);
  }

  /**
   * Returns the download address of an app. Each address contains a separate ticket, because a ticket is valid for one
   * download (specification 5.8.2).
   */
  async #addressOf(caller: Caller | null, id: string, node: string | null): Promise<string> {
    const { tickets, baseUrl } = this.#options;
    const base = baseUrl(node);
    if (base === null)
      throw notAvailable(
        `apps of the library cannot be downloaded ${node === null ? 'from this server' : `by node ${node}`}`,
      );
    const address = `${base}${DOWNLOADS}${id}/download`;
    // The caller is null only while sign-in is off, because `namedIn` refuses clients without valid credentials. While
    // sign-in is off, downloads need no ticket (specification 5.12).
    if (caller === null) return address;
    const { ticket } = await tickets.issue(caller, { audience: 'svc-app-download', resource: id });
    return `${address}?ticket=${ticket}`;
  }
}

/** The library apps of one session, with their download addresses after `place` has created these. */
export class NamedApps {
  readonly #ids: readonly string[];
  readonly #addressOf: (id: string, node: string | null) => Promise<string>;
  /** References (`svc:app/<id>`) by download address, so that an address can be replaced by its reference again. */
  readonly #names: Map<string, string>;

  /** @param placed references whose download addresses are already in the capabilities, by address */
  constructor(
    ids: readonly string[],
    addressOf: (id: string, node: string | null) => Promise<string>,
    placed: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#ids = ids;
    this.#addressOf = addressOf;
    this.#names = new Map(placed);
  }

  /**
   * Replaces the references in the capabilities by download addresses. Afterwards pass the capabilities only to the
   * driver, because everyone who has a download address can use its ticket.
   * @param node name of the node that runs the session, or null for this server
   */
  async place(capabilities: unknown, node: string | null = null): Promise<void> {
    if (this.#ids.length === 0) return;
    const addresses: string[] = [];
    for (const id of this.#ids) {
      const address = await this.#addressOf(id, node);
      addresses.push(address);
      this.#names.set(address, `${APP_REFERENCE}${id}`);
    }
    replaceApps(capabilities, () => addresses.shift() as string);
  }

  /**
   * Replaces download addresses by references again, so that the client does not get their tickets. `said` is what the
   * driver returned (capabilities or an error); it is changed in place.
   */
  hide(said: unknown): void {
    const seen = new Set<unknown>();
    const open = [said];
    while (open.length > 0) {
      const value = open.pop();
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      for (const key of namesOf(value)) {
        const inner = (value as Record<string, unknown>)[key];
        if (typeof inner === 'string') this.#hideIn(value as Record<string, unknown>, key, inner);
        else open.push(inner);
      }
    }
  }

  #hideIn(holder: Record<string, unknown>, key: string, text: string): void {
    let hidden = text;
    for (const [address, name] of this.#names) hidden = hidden.replaceAll(address, name);
    if (hidden !== text) holder[key] = hidden;
  }
}

/**
 * @returns the names of the fields to search. For an error, these are a few fixed names such as `message`, because
 * `Object.keys` omits them. For a list or a plain object, these are the names of all fields.
 */
function namesOf(value: object): readonly string[] {
  if (value instanceof Error) return ['message', 'stack', 'cause', 'stacktrace'];
  return Array.isArray(value) || isRecord(value) ? Object.keys(value) : [];
}

function notAvailable(message: string): CreateRefused {
  return new CreateRefused('app', message);
}

/**
 * Replaces, in place, every reference to a library app that a driver would read. Drivers read `appium:app` and
 * `appium:otherApps` in `alwaysMatch`, in every `firstMatch` entry and in the `appium:options` of both. A reference is
 * a text that begins with `prefix`. `replace` is called with the rest of each reference, which is the id of the app if
 * `prefix` is the default, and returns the new text. The references are replaced in the order in which they appear.
 */
function replaceApps(
  capabilities: unknown,
  replace: (rest: string) => string,
  prefix: string = APP_REFERENCE,
): void {
  if (!isRecord(capabilities)) return;
  const one = (text: string) => (text.startsWith(prefix) ? replace(text.slice(prefix.length)) : text);
  const { alwaysMatch, firstMatch } = capabilities;
  for (const entry of [alwaysMatch, ...(Array.isArray(firstMatch) ? firstMatch : [])]) {
    if (!isRecord(entry)) continue;
    for (const name of PREFIXED)
      if (Object.hasOwn(entry, name)) entry[name] = replaced(entry[name], one, prefix);
    const options = entry[OPTIONS];
    if (!isRecord(options)) continue;
    for (const name of [...NAMES, ...PREFIXED])
      if (Object.hasOwn(options, name)) options[name] = replaced(options[name], one, prefix);
  }
}

/**
 * Returns a capability with its references replaced. The value may be one reference, a list of them, or a list as JSON
 * text, which drivers accept for `otherApps`.
 */
function replaced(value: unknown, one: (text: string) => string, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? one(item) : item));
  if (typeof value !== 'string') return value;
  if (!value.trimStart().startsWith('[') || !value.includes(prefix)) return one(value);
  let list: unknown;
  try {
    list = JSON.parse(value);
  } catch {
    return one(value);
  }
  return JSON.stringify(replaced(list, one, prefix));
}
