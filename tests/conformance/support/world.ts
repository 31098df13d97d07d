import { type RunningServer, type ServerOptions, startApi, startLab } from '../../support/lab.ts';
import { type CallOptions, call, type HttpResponse } from './call.ts';

/** What the suite runs against: the API alone, or the same API inside Appium. The test's project says which. */
export const targets: readonly {
  name: string;
  start: (options?: ServerOptions) => Promise<RunningServer>;
}[] = [
  { name: 'api', start: startApi },
  { name: 'appium', start: startLab },
].filter(({ name }) => name === (process.env.CONFORMANCE_TARGET ?? name));

/** Headers that carry a credential. */
export type Credentials = Readonly<Record<string, string>>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** Their sign-in. */
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

/** A running server with its first account signed in, and short words for what every test does. */
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

  /** On the same data, started again: sign-ins and keys go on. */
  movedTo(server: RunningServer): World {
    const world = new World(server);
    world.root = this.root;
    return world;
  }

  /** Any answer of a path below `/svc/api`. */
  api(method: string, path: string, options?: CallOptions): Promise<HttpResponse> {
    return call(this.url, method, `/svc/api${path}`, options);
  }

  /** The body of an answer that has to be a good one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async ok(method: string, path: string, options?: CallOptions): Promise<any> {
    const answer = await this.api(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** The cookie of a new sign-in. */
  async signIn(email: string, password: string): Promise<Credentials> {
    const answer = await this.api('POST', '/auth/login', { json: { email, password } });
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0];
    if (cookie === undefined) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
    return { cookie };
  }

  /** A user nobody else in the test knows, signed in. */
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

  /** A Profile token of whoever the credential belongs to, with their access key. */
  async pair(
    as: Credentials,
    input: { name?: string; scopes?: string[]; expiresAt?: string | null } = {},
  ): Promise<Pair> {
    const made = await this.ok('POST', '/profile/tokens', { as, json: { name: 'test', ...input } });
    return this.#pairOf(as, made);
  }

  /** An API key of the credential's owner. */
  async apiKey(as: Credentials, input: Record<string, unknown> = {}): Promise<Pair> {
    const made = await this.ok('POST', '/apikeys', {
      as,
      json: { name: 'test', scopes: ['read'], ...input },
    });
    return this.#pairOf(as, made);
  }

  /** Keys of Admins, one each, that together may make `count` times the tokens of one account (contract 4). */
  async makers(count: number): Promise<readonly Credentials[]> {
    const makers: Credentials[] = [];
    for (let made = 0; made < count; made += 1) {
      const { as } = await this.person('Admin');
      makers.push((await this.apiKey(as, { scopes: ['admin'], rateLimit: 100_000 })).as);
    }
    return makers;
  }

  /** A bearer token minted with the credential. */
  async bearer(as: Credentials, input: Record<string, unknown> = {}): Promise<Credentials> {
    const { token } = await this.ok('POST', '/auth/token', { as, json: input });
    return { authorization: `Bearer ${token}` };
  }

  /** How a request with this credential fares: status and, when refused, the word. */
  async asks(as: Credentials, path = '/auth/me'): Promise<string> {
    const { status, body } = await this.api('GET', path, { as });
    return status === 200 ? '200' : `${status} ${body.error}`;
  }

  async #pairOf(as: Credentials, { id, token }: { id: string; token: string }): Promise<Pair> {
    const { accessKey } = await this.ok('GET', '/profile/access-key', { as });
    return { id, accessKey, token, as: { 'x-svc-access-key': accessKey, 'x-svc-token': token } };
  }
}
