import { SERVER } from '../../../api/addresses.ts';
import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { caller } from '../../../api/current-caller.ts';

/**
 * Error response to a WebDriver command, from the driver or from the server's check of commands. The message may come
 * from the phone.
 */
export class DriverRefusal extends Error {
  override readonly name = 'DriverRefusal';
  /** WebDriver error code, such as `unknown command`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends a WebDriver command and returns the `value` of its response. */
export type SendCommand = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

/**
 * Milliseconds to wait for the response to a command. A create-session request has a longer time-out, because the
 * driver first has to start on the phone.
 */
const COMMAND_MS = 60_000;
const CREATE_MS = 300_000;
/** A bearer token that expires in less than this time (ms) is replaced. */
const RENEW_MS = 60_000;

/**
 * Sends WebDriver commands to the server of this page, as a test does. The page's cookie has no effect on WebDriver
 * routes, so the commands carry a bearer token that is minted for the signed-in user. The token exists only in the
 * memory of this object: no page stores it.
 */
export class WebDriver {
  readonly #basePath: () => Promise<string>;
  /** Address of the WebDriver routes, once a command needed it. */
  #address: string | undefined;
  #bearer: { readonly token: string; readonly until: number } | undefined;

  /** @param basePath returns Appium's base path on this server; called again only if it has failed */
  constructor(basePath: () => Promise<string>) {
    this.#basePath = basePath;
  }

  /**
   * Sends a command. Rejects with a `DriverRefusal` if the response is a WebDriver error, and with an `ApiError` if
   * there was no usable response.
   */
  readonly send: SendCommand = async (method, path, body) => {
    const isCreate = path === '/session';
    const response = await this.#fetch(method, path, body, {
      // The server takes the credentials of a create-session request from its body. The header tells the server that the
      // commands will have credentials too (contract 15.3).
      ...(await this.#authorization()),
      // The body of a create-session request contains a session token, so this header asks Appium not to log it
      // (specification 5.5.2).
      ...(isCreate ? { 'x-auto-is-sensitive': 'true' } : {}),
    });
    return await valueIn(response);
  };

  /**
   * Sends a command while the page is being left. Returns immediately, and nothing reports whether the command arrived.
   * Needs a call of `prepare` or `send` before, and does nothing without one, because then there is no session either.
   */
  sendLast(method: 'DELETE', path: string): void {
    if (this.#address === undefined) return;
    const headers: Record<string, string> =
      this.#bearer === undefined ? {} : { authorization: `Bearer ${this.#bearer.token}` };
    void fetch(this.#address + path, { method, headers, credentials: 'omit', keepalive: true }).catch(
      () => {},
    );
  }

  async #fetch(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
    const address = await this.#knownAddress();
    try {
      return await fetch(address + path, {
        method,
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(path === '/session' ? CREATE_MS : COMMAND_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new ApiError({ status: 0, code: 'unreachable' });
    }
  }

  async #knownAddress(): Promise<string> {
    this.#address ??= SERVER + (await this.#basePath());
    return this.#address;
  }

  async #authorization(): Promise<Record<string, string>> {
    if (caller.value.authDisabled) return {};
    if (this.#bearer === undefined || Date.now() > this.#bearer.until - RENEW_MS) {
      const { token, expiresIn } = await call('issueBearer', { body: {} });
      this.#bearer = { token, until: Date.now() + expiresIn * 1_000 };
    }
    return { authorization: `Bearer ${this.#bearer.token}` };
  }

  /** Gets what `sendLast` needs, the address and a token, because there is no time for it while the page is being left. */
  async prepare(): Promise<void> {
    await Promise.all([this.#knownAddress(), this.#authorization()]);
  }
}

async function valueIn(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null || !('value' in body))
    throw new ApiError({ status: response.status, code: 'unexpected_answer' });
  if (response.ok) return body.value;
  const { error, message } = (body.value ?? {}) as { error?: unknown; message?: unknown };
  throw new DriverRefusal(
    typeof error === 'string' ? error : 'unknown error',
    typeof message === 'string' ? message : `HTTP status ${response.status}`,
  );
}
