import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type App, openServices, type Services } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { type FakeClock, fakeClock } from '@svc/auth-core/testing';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { readConfig } from '@svc/settings';
import { ends } from '../../support/ends.ts';
import { freshDataDir } from '../../support/lab.ts';
import type { Json } from './json.ts';

/** One line of the log, as `<level> <message>`. */
type LogLine = string;

interface Mailed {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly json?: unknown;
  /** The raw body, instead of `json`. */
  readonly body?: string;
  readonly cookie?: string | undefined;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
  readonly text: string;
}

/** The API in this process, with a clock that the test controls and a mailer that only collects. */
export interface Service {
  readonly app: App;
  readonly services: Services;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly log: readonly LogLine[];
  /** Sends a request to `/svc/api<path>`, with the service's own `Origin` unless the headers set one. */
  ask(path: string, ask?: Ask): Promise<HttpResponse>;
  /**
   * Signs in, and throws if that fails.
   * @returns the `cookie` header to send
   */
  signIn(email?: string, password?: string, from?: string): Promise<string>;
  /** Waits for the next mail. */
  nextMail(): Promise<Mailed>;
  mails(): number;
  close(): Promise<void>;
}

export const ADMIN = { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD } as const;

const ORIGIN = 'http://lab.test:4723';
/** Limits that no suite reaches; suites about limits set other values. */
const GENEROUS = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '100000', SVC_RESET_RATE_LIMIT_ATTEMPTS: '100000' };

const open = new Set<Service>();
ends.push(async () => {
  for (const service of open) await service.close();
  open.clear();
});

interface Options {
  /** Sends mail to `nextMail`. */
  readonly mails?: boolean;
  /** Uses bcrypt in worker threads, for tests of the hashing itself. */
  readonly realHashes?: boolean;
}

export async function openService(
  env: Record<string, string> = {},
  { mails = false, realHashes = false }: Options = {},
): Promise<Service> {
  const dataDir = env.SVC_DATA_DIR ?? freshDataDir();
  const { config, warnings } = readConfig({
    env: { SVC_BCRYPT_COST: '10', ...GENEROUS, ...env, SVC_DATA_DIR: dataDir },
    homeDir: '/nowhere',
    readFile: () => '',
    resolvePath: resolve,
  });
  const clock = fakeClock(Date.UTC(2026, 5, 1));
  const log: LogLine[] = warnings.map((warning) => `warn ${warning}`);
  const note = (level: string) => (message: string) => void log.push(`${level} ${message}`);
  const post = postbox();
  const services = await openServices({
    config,
    clock,
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    ...(mails ? { mailer: post.mailer } : {}),
    ...(realHashes ? {} : { hasher: quickHasher(config.bcryptCost) }),
  });
  const app = await buildApp(services);
  const ask = (path: string, input: Ask = {}) => inject(app, path, input);
  const service: Service = {
    app,
    services,
    clock,
    dataDir,
    log,
    ask,
    signIn: async (email = ADMIN.email, password = ADMIN.password, from = '192.0.2.1') => {
      const answer = await ask('/auth/login', { json: { email, password }, from });
      if (answer.status !== 204) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
      return cookieOf(answer);
    },
    nextMail: post.next,
    mails: post.count,
    close: async () => {
      open.delete(service);
      await app.close();
      await services.close();
    },
  };
  open.add(service);
  return service;
}

async function inject(app: App, path: string, input: Ask): Promise<HttpResponse> {
  const { json, body, cookie, from } = input;
  const payload = body ?? (json === undefined ? undefined : JSON.stringify(json));
  const answer = await app.inject({
    method: input.method ?? (payload === undefined ? 'GET' : 'POST'),
    url: `/svc/api${path}`,
    remoteAddress: from ?? '192.0.2.1',
    headers: {
      host: 'lab.test:4723',
      origin: ORIGIN,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === undefined ? {} : { cookie }),
      ...input.headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const text = answer.body;
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return { status: answer.statusCode, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
}

/** @returns `name=value` of the cookie that a response sets */
export function cookieOf({ headers }: HttpResponse): string {
  return setCookie(headers).split(';', 1)[0] as string;
}

/** @returns the whole `Set-Cookie` header */
export function setCookie(headers: HttpResponse['headers']): string {
  const value = headers['set-cookie'];
  return String(Array.isArray(value) ? value.at(-1) : value);
}

/** Hashes without delay but asynchronously, like the real hasher. */
export function quickHasher(cost: number) {
  const hashOf = (password: string) =>
    `$2b$${cost}$${createHash('sha256').update(password).digest('base64url')}`;
  const later = () => new Promise((done) => setImmediate(done));
  return {
    depth: { running: 0, known: 0, unknown: 0 },
    hash: async (password: string) => {
      await later();
      return hashOf(password);
    },
    matches: async (password: string, hash: string) => {
      await later();
      return hashOf(password).slice(7) === hash.slice(7);
    },
    close: async () => undefined,
  };
}

function postbox() {
  const waiting: ((mail: Mailed) => void)[] = [];
  const arrived: Mailed[] = [];
  let count = 0;
  return {
    mailer: {
      send: async (mail: Mailed) => {
        count += 1;
        const taker = waiting.shift();
        if (taker === undefined) arrived.push(mail);
        else taker(mail);
      },
      close: () => undefined,
    },
    next: () =>
      new Promise<Mailed>((take) => {
        const mail = arrived.shift();
        if (mail === undefined) waiting.push(take);
        else take(mail);
      }),
    count: () => count,
  };
}

/** Creates a user with a password of their own. */
export async function makeUser(
  service: Service,
  cookie: string,
  user: { email: string; role?: string; password?: string },
): Promise<{ id: string; email: string; password: string; temporaryPassword?: string }> {
  const password = user.password ?? 'a password of tests';
  const json = { name: user.email, role: 'Member', ...user, password };
  const answer = await service.ask('/users', { json, cookie });
  if (answer.status !== 201) throw new Error(`user: ${answer.status} ${answer.text}`);
  return { ...answer.body, password };
}

/**
 * Creates users who have signed in, each with an e-mail address of their own.
 * @returns a function that creates the next user
 */
export function signedInUsers(service: Service, root: string, name: string, role = 'Member') {
  let count = 0;
  return async () => {
    count += 1;
    const user = await makeUser(service, root, { email: `${name}${count}@lab.test`, role });
    return { ...user, cookie: await service.signIn(user.email, user.password) };
  };
}

/** @returns the token of a reset link */
export function tokenOf(link: string): string {
  return link.slice(link.indexOf('#') + 1);
}

/** @returns every row of the audit trail, oldest first */
export function auditRows({ services }: Service) {
  services.modules.audit.offers.flush();
  return services.stores.audit.page(null, 10_000).reverse();
}
