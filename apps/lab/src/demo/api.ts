import { expect } from './steps.ts';

/** A person at a browser: a cookie, and the `Origin` a browser sends. */
export class Person {
  readonly #url: string;
  readonly cookie: string;

  private constructor(url: string, cookie: string) {
    this.#url = url;
    this.cookie = cookie;
  }

  static async signIn(url: string, email: string, password: string): Promise<Person> {
    const answer = await send(url, 'POST', '/auth/login', { body: { email, password } });
    expect(answer.status === 204, `sign-in answered ${answer.status} ${await answer.text()}`);
    const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0];
    expect(cookie !== undefined, 'sign-in set no cookie');
    return new Person(url, cookie);
  }

  async get<T>(path: string): Promise<T> {
    return await jsonOf<T>(await send(this.#url, 'GET', path, { cookie: this.cookie }));
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return await jsonOf<T>(await send(this.#url, 'POST', path, { cookie: this.cookie, body }));
  }

  /** A token and the access key that goes with it. */
  async makeToken(name: string): Promise<Pair> {
    const { token, scopes } = await this.post<{ token: string; scopes: string[] }>('/profile/tokens', {
      name,
    });
    const { accessKey } = await this.get<{ accessKey: string }>('/profile/access-key');
    return { accessKey, token, scopes };
  }
}

export interface Pair {
  readonly accessKey: string;
  readonly token: string;
  readonly scopes: readonly string[];
}

/** The headers that carry a pair, on every command. */
export function headersOf({ accessKey, token }: Pair): Record<string, string> {
  return { 'x-svc-access-key': accessKey, 'x-svc-token': token };
}

interface Sending {
  readonly cookie?: string;
  readonly body?: unknown;
}

function send(url: string, method: string, path: string, { cookie, body }: Sending): Promise<Response> {
  const headers: Record<string, string> = { origin: url };
  if (cookie !== undefined) headers.cookie = cookie;
  if (body === undefined) return fetch(`${url}/svc/api${path}`, { method, headers });
  headers['content-type'] = 'application/json';
  return fetch(`${url}/svc/api${path}`, { method, headers, body: JSON.stringify(body) });
}

async function jsonOf<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  expect(answer.ok, `${new URL(answer.url).pathname} answered ${answer.status} ${text}`);
  return JSON.parse(text);
}
