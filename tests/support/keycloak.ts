import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type RunningProcess, runProgram } from './lab.ts';
import { CACHE, run, runOrThrow } from './programs.ts';

const VERSION = '26.4.0';
const ADMIN = { username: 'admin', password: 'a password of the administrator' };
const START_MS = 240_000;
/** Options for a Java process that starts quickly and ends soon. */
const SHORT = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'];

export type Json = Record<string, unknown>;

/** A running Keycloak with one imported realm (OpenID provider that companies operate). */
export class Keycloak {
  readonly url: string;
  readonly issuer: string;
  readonly #process: RunningProcess;
  readonly #realm: string;

  private constructor(url: string, realm: string, process: RunningProcess) {
    this.url = url;
    this.issuer = `${url}/realms/${realm}`;
    this.#realm = realm;
    this.#process = process;
  }

  /** Starts Keycloak in its development mode with an empty database in memory, and imports the realm. */
  static async start(realm: Json & { readonly realm: string }): Promise<Keycloak> {
    const home = await install();
    const port = await freePort();
    const imports = join(home, 'data', 'import');
    rmSync(imports, { recursive: true, force: true });
    mkdirSync(imports, { recursive: true });
    writeFileSync(join(imports, 'realm.json'), JSON.stringify(realm));
    const options = ['--import-realm', '--http-host=127.0.0.1', `--http-port=${port}`];
    const process = runProgram('java', {
      args: ['-Dkc.config.built=true', ...javaOptions(home), ...START, ...options],
      env: { KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password },
    });
    await process.line(/Listening on: /, START_MS);
    return new Keycloak(`http://127.0.0.1:${port}`, realm.realm, process);
  }

  stop(): Promise<unknown> {
    return this.#process.stop();
  }

  /** Sends a request to the administration API of the realm, such as `GET /users`. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have every shape.
  async admin(method: string, path: string, json?: Json): Promise<any> {
    const form = new URLSearchParams({ ...ADMIN, grant_type: 'password', client_id: 'admin-cli' });
    const opened = await fetch(`${this.url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: form,
    });
    const { access_token: token } = (await opened.json()) as { access_token: string };
    const answer = await fetch(`${this.url}/admin/realms/${this.#realm}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** @returns an access token that the realm signs for one of its clients */
  async tokenOf(clientId: string, secret: string): Promise<string> {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const answer = await fetch(`${this.issuer}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  }
}

/** Arguments that must be the same at every start; with other arguments, Keycloak would prepare itself again. */
const START = ['start-dev', '--db=dev-mem', '--cache=local'];

function javaOptions(home: string): string[] {
  const opened = ['java.util', 'java.util.concurrent', 'java.security'];
  return [
    ...SHORT,
    ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
    '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
    `-Dkc.home.dir=${home}`,
    `-Djboss.server.config.dir=${join(home, 'conf')}`,
    `-Dkeycloak.theme.dir=${join(home, 'themes')}`,
    ...['-cp', join(home, 'lib', 'quarkus-run.jar'), 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'],
  ];
}

/**
 * Downloads Keycloak from Maven Central (160 MB, which Maven caches) and prepares it for its development mode. The
 * result is kept between runs.
 * @returns the folder of Keycloak
 */
async function install(): Promise<string> {
  const folder = join(CACHE, `keycloak-${VERSION}`);
  const home = join(folder, `keycloak-${VERSION}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return home;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  // Without a project, Maven would write its marker to a folder that is named after the missing variable.
  const at = ['-Dproject.basedir=.', `-DoutputDirectory=${folder}`];
  const unpack = ['dependency:unpack', `-Dartifact=${artifact}`, ...at];
  await runOrThrow('mvn', ['--quiet', '--batch-mode', ...unpack], { cwd: folder });
  // At its first start, Keycloak generates classes for its options, and ends with this code so that it is started again.
  const { code, output } = await run('java', [...javaOptions(home), ...START], { cwd: home });
  if (code !== 10) throw new Error(`Keycloak cannot prepare itself:\n${output}`);
  writeFileSync(complete, '');
  return home;
}
