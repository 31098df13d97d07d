import { serviceOrigin } from './address.ts';
import type { KeyPair } from './credentials.ts';
import { type CredentialEntries, storedCredentials } from './credentials-file.ts';
import { type JobCredential, SvcClient, type SvcClientOptions } from './rest-client.ts';
import { type Environment, UnusableSetting } from './unusable-setting.ts';

export { type Environment, UnusableSetting } from './unusable-setting.ts';

export type ReadFile = (path: string) => string;

/** Address of a lab, and the key pair for it. */
export interface LabSettings {
  readonly url: string;
  readonly pair: KeyPair;
}

/**
 * Creates a client from the environment: `SVC_URL`, and `SVC_ACCESS_KEY` and `SVC_TOKEN`, or the files named by
 * `SVC_ACCESS_KEY_FILE` and `SVC_TOKEN_FILE`. If the environment names no key pair, the client uses `SVC_ACCESS_TOKEN`
 * and `SVC_SESSION_TOKEN`, which `ci-login` writes in a CI job. If these are not set either, it uses the key pair that
 * `svc login` stored. Throws an `UnusableSetting` that names what is missing or cannot be used.
 */
export function fromEnv(
  options: Pick<SvcClientOptions, 'timeoutMs' | 'fetch'> = {},
  env: Environment = process.env,
): SvcClient {
  const job = jobCredentialIn(env);
  if (job !== undefined)
    return new SvcClient({ ...options, url: addressIn(env.SVC_URL?.trim(), SET_URL), credential: job });
  const { url, pair } = labSettings(env);
  return new SvcClient({ ...options, url, credential: pair });
}

const PAIR_NAMES = ['SVC_ACCESS_KEY', 'SVC_ACCESS_KEY_FILE', 'SVC_TOKEN', 'SVC_TOKEN_FILE'];

/** @returns the tokens of a CI job, or undefined if the environment has no such tokens or names a key pair */
function jobCredentialIn(env: Environment): JobCredential | undefined {
  const bearer = env.SVC_ACCESS_TOKEN?.trim();
  if (!bearer || PAIR_NAMES.some((name) => env[name]?.trim())) return undefined;
  const sessionToken = env.SVC_SESSION_TOKEN?.trim();
  return { bearer, ...(sessionToken ? { sessionToken } : {}) };
}

/**
 * Reads the address and the key pair of the lab from the environment and the credentials file, as `fromEnv` does.
 * @param address address that the user gave for this command; it overrides `SVC_URL`
 */
export function labSettings(
  env: Environment,
  { address = env.SVC_URL, readFile = readText }: { address?: string | undefined; readFile?: ReadFile } = {},
): LabSettings {
  const url = address?.trim() ? addressIn(address.trim(), '') : undefined;
  if (PAIR_NAMES.some((name) => env[name]?.trim())) {
    if (url === undefined) throw new UnusableSetting(SET_URL);
    return { url, pair: keyPairIn(env, readFile) };
  }
  return storedSettings(url, storedCredentials(env));
}

const SET_URL = 'Set SVC_URL to the address of the lab, as in https://lab.example:4723';

/**
 * Returns the stored credentials for an address. Without an address, returns the only stored credentials, and throws if
 * there are several or none.
 */
function storedSettings(url: string | undefined, entries: CredentialEntries): LabSettings {
  const [only, ...more] = entries.keys();
  const chosen = url ?? (more.length === 0 ? only : undefined);
  if (chosen === undefined) {
    throw new UnusableSetting(
      only === undefined
        ? `${SET_URL}, or sign in with: svc login <address>`
        : `Set SVC_URL to one of the labs that you are signed in to: ${[...entries.keys()].join(', ')}`,
    );
  }
  const stored = entries.get(chosen);
  if (stored === undefined) {
    throw new UnusableSetting(
      `Sign in with: svc login ${chosen}\nIn a script, set SVC_ACCESS_KEY, or SVC_ACCESS_KEY_FILE to a file that holds it, and SVC_TOKEN, or SVC_TOKEN_FILE`,
    );
  }
  return { url: chosen, pair: { accessKey: stored.accessKey, token: stored.token } };
}

/**
 * Reads the key pair from the environment, or from the files that it names. Throws an `UnusableSetting` if a part is
 * missing or cannot be read.
 */
function keyPairIn(env: Environment, readFile: ReadFile = readText): KeyPair {
  return {
    accessKey: secretIn('SVC_ACCESS_KEY', env, readFile),
    token: secretIn('SVC_TOKEN', env, readFile),
  };
}

/**
 * Returns the scheme, host and port of the service's address `text`. Throws an `UnusableSetting` if the text is not
 * such an address. `whenMissing` is the error message for a missing text.
 */
export function addressIn(text: string | undefined, whenMissing: string): string {
  if (!text) throw new UnusableSetting(whenMissing);
  try {
    return serviceOrigin(text);
  } catch (error) {
    throw new UnusableSetting((error as Error).message);
  }
}

function secretIn(name: string, env: Environment, readFile: ReadFile): string {
  const given = env[name]?.trim();
  if (given) return given;
  const file = env[`${name}_FILE`]?.trim();
  if (!file) throw new UnusableSetting(`Set ${name}, or ${name}_FILE to a file that holds it`);
  let text: string;
  try {
    text = readFile(file).trim();
  } catch {
    throw new UnusableSetting(`The file that ${name}_FILE names cannot be read`);
  }
  if (text === '') throw new UnusableSetting(`The file that ${name}_FILE names is empty`);
  return text;
}

/** Reads a file. Loads `node:fs` only when called, because browsers load this module too and have no `node:fs`. */
function readText(path: string): string {
  return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
}
