import { freePort, type RunningServer, type ServerOptions } from '../../support/lab.ts';
import { call, type HttpResponse } from './call.ts';
import type { ScriptedProvider } from './scripted-provider.ts';
import { type Credentials, World } from './world.ts';

/** A cookie from a `Set-Cookie` header. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Attributes in lower case, such as `path=/`. */
  readonly attributes: readonly string[];
}

/** Starts a server with a public address, because sign-in through a provider requires one. */
export async function startWithProvider(
  start: (options?: ServerOptions) => Promise<RunningServer>,
  env: Record<string, string>,
): Promise<World> {
  const port = await freePort();
  const own = { PORT: String(port), SVC_PUBLIC_URL: `http://127.0.0.1:${port}` };
  return World.start(start, { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000', ...own, ...env });
}

export function cookiesOf({ headers }: Pick<HttpResponse, 'headers'>): SetCookie[] {
  return (headers['set-cookie'] ?? []).map((line) => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    return {
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      attributes: attributes.map((attribute) => attribute.toLowerCase()),
    };
  });
}

/** Test browser that keeps the cookies of a server and does not follow redirects. */
export class OidcBrowser {
  readonly #url: string;
  readonly cookies = new Map<string, string>();

  constructor({ url }: Pick<World, 'url'>) {
    this.#url = url;
  }

  async get(path: string): Promise<HttpResponse> {
    return this.#kept(await call(this.#url, 'GET', path, { as: this.as, headers: { origin: null } }));
  }

  async post(path: string, json: unknown): Promise<HttpResponse> {
    return this.#kept(await call(this.#url, 'POST', path, { as: this.as, json }));
  }

  /**
   * Starts a sign-in.
   * @returns the address of the provider to which the server redirects
   */
  async start(returnTo?: string): Promise<string> {
    const query = returnTo === undefined ? '' : `?return=${encodeURIComponent(returnTo)}`;
    const { status, headers } = await this.get(`/svc/api/auth/oidc/start${query}`);
    if (status !== 302) throw new Error(`start: ${status}`);
    return headers.location ?? '';
  }

  back(query: URLSearchParams | string): Promise<HttpResponse> {
    return this.get(`/svc/api/auth/oidc/callback?${query}`);
  }

  /**
   * Signs a person in through the provider.
   * @returns the address to which the server redirects the browser
   */
  async signIn(provider: ScriptedProvider, person: object, returnTo?: string): Promise<string> {
    const address = await this.start(returnTo);
    const { headers } = await this.back(provider.authorize(address, { ...person }));
    return headers.location ?? '';
  }

  get as(): Credentials {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  #kept(response: HttpResponse): HttpResponse {
    for (const { name, value, attributes } of cookiesOf(response)) {
      if (value === '' || attributes.includes('max-age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
