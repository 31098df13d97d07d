import {
  type RunningServer,
  type ServerOptions,
  startAccounts,
  startApi,
  startLab,
} from '../../support/lab.ts';
import { type CallOptions, call, type HttpResponse } from './call.ts';

/**
 * The servers that the suite tests, depending on the vitest project: the API alone, the same API inside Appium, or a
 * server that only authenticates.
 */
export const targets: readonly {
  name: string;
  start: (options?: ServerOptions) => Promise<RunningServer>;
}[] = [
  { name: 'api', start: startApi },
  { name: 'appium', start: startLab },
  { name: 'accounts', start: startAccounts },
].filter(({ name }) => name === (process.env.CONFORMANCE_TARGET ?? name));

/** Headers that carry a credential. */
export type Credentials = Readonly<Record<string, string>>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** Headers of the person's sign-in. */
  as: Credentials;
}

export interface Pair {
  readonly id: string;
  readonly accessKey: string;
  readonly token: string;
  readonly as: Credentials;
}

export type Role = 'Member' | 'Admin' | 'Super admin';

const ADMIN = { email: 'root@lab.test', password: 'a password for the first account' };

/** A running server with its first account signed in, and helpers that many tests use. */
export class World {
  readonly server: RunningServer;
  readonly url: string;
  root!: Person;
  #people = 0;

  private constructor(server: RunningServer) {
    this.server = server;
    this.url = server.url;
  }

  static async start(
    start: (options?: ServerOptions) => Promise<RunningServer>,
    env: Record<string, string> = {},
    dataDir?: string,
  ): Promise<World> {
    const first = { SVC_BOOTSTRAP_ADMIN_EMAIL: ADMIN.email, SVC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password };
    const server = await start({ env: { ...first, ...env }, ...(dataDir === undefined ? {} : { dataDir }) });
    const world = new World(server);
    const as = await world.signIn(ADMIN.email, ADMIN.password);
    const { id } = await world.ok('GET', '/auth/me', { as });
    world.root = { id, ...ADMIN, as };
    return world;
  }

  /** Returns a world with the same data on a restarted server; sign-ins and keys stay valid. */
  movedTo(server: RunningServer): World {
    const world = new World(server);
    world.root = this.root;
    return world;
  }

  /** Sends any request below `/svc/api`. */
  api(method: string, path: string, options?: CallOptions): Promise<HttpResponse> {
    return call(this.url, method, `/svc/api${path}`, options);
  }

  /**
   * Sends a request that must succeed.
   * @returns the body of the response
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  async ok(method: string, path: string, options?: CallOptions): Promise<any> {
    const answer = await this.api(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** @returns the cookie of a new sign-in */
  async signIn(email: string, password: string): Promise<Credentials> {
    const answer = await this.api('POST', '/auth/login', { json: { email, password } });
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0];
    if (cookie === undefined) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
    return { cookie };
  }

  /** Creates a user that no other test uses, signed in. */
  async person(role: Role = 'Member', input: { teamIds?: string[] } = {}): Promise<Person> {
    this.#people += 1;
    const email = `person-${this.#people}@lab.test`;
    const password = `a password of person ${this.#people}`;
    const { id } = await this.ok('POST', '/users', {
      as: this.root.as,
      json: { email, name: `Person ${this.#people}`, role, password, ...input },
    });
    return { id, email, password, as: await this.signIn(email, password) };
  }

  /**
   * Creates a Profile token for the owner of the credential.
   * @returns the token with the owner's access key
   */
  async pair(
    as: Credentials,
    input: { name?: string; scopes?: string[]; expiresAt?: string | null } = {},
  ): Promise<Pair> {
    const made = await this.ok('POST', '/profile/tokens', { as, json: { name: 'test', ...input } });
    return this.#pairOf(as, made);
  }

  /** Creates an API key for the owner of the credential. */
  async apiKey(as: Credentials, input: Record<string, unknown> = {}): Promise<Pair> {
    const made = await this.ok('POST', '/apikeys', {
      as,
      json: { name: 'test', scopes: ['read'], ...input },
    });
    return this.#pairOf(as, made);
  }

  /** @returns keys of several Admins that together may create `count` times the tokens of one account (contract 4) */
  async makers(count: number): Promise<readonly Credentials[]> {
    const makers: Credentials[] = [];
    for (let made = 0; made < count; made += 1) {
      const { as } = await this.person('Admin');
      makers.push((await this.apiKey(as, { scopes: ['admin'], rateLimit: 100_000 })).as);
    }
    return makers;
  }

  /** Mints a bearer token with the credential. */
  async bearer(as: Credentials, input: Record<string, unknown> = {}): Promise<Credentials> {
    const { token } = await this.ok('POST', '/auth/token', { as, json: input });
    return { authorization: `Bearer ${token}` };
  }

  /** @returns the outcome of a request with this credential: the status and, for a refusal, the error code */
  async asks(as: Credentials, path = '/auth/me'): Promise<string> {
    const { status, body } = await this.api('GET', path, { as });
    return status === 200 ? '200' : `${status} ${body.error}`;
  }

  async #pairOf(as: Credentials, { id, token }: { id: string; token: string }): Promise<Pair> {
    const { accessKey } = await this.ok('GET', '/profile/access-key', { as });
    return { id, accessKey, token, as: { 'x-svc-access-key': accessKey, 'x-svc-token': token } };
  }
}
