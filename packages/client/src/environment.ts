import { serviceOrigin } from './address.ts';
import type { KeyPair } from './credentials.ts';
import { SvcClient, type SvcClientOptions } from './rest-client.ts';

/** Error for a missing or invalid setting that a person has to correct. The message never contains the given value. */
export class UnusableSetting extends Error {
  override readonly name: string = 'UnusableSetting';
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

/**
 * Creates a client from the environment: `SVC_URL`, and `SVC_ACCESS_KEY` and `SVC_TOKEN`, or the files named by
 * `SVC_ACCESS_KEY_FILE` and `SVC_TOKEN_FILE`. Throws an `UnusableSetting` that names what is missing.
 */
export function fromEnv(
  options: Pick<SvcClientOptions, 'timeoutMs' | 'fetch'> = {},
  env: Environment = process.env,
): SvcClient {
  const url = addressIn(env.SVC_URL, 'Set SVC_URL to the address of the lab, as in https://lab.example:4723');
  return new SvcClient({ ...options, url, credential: keyPairIn(env) });
}

/**
 * Reads the key pair from the environment, or from the files that it names. Throws an `UnusableSetting` if a part is
 * missing or cannot be read.
 */
export function keyPairIn(env: Environment, readFile: ReadFile = readText): KeyPair {
  return {
    accessKey: secretIn('SVC_ACCESS_KEY', env, readFile),
    token: secretIn('SVC_TOKEN', env, readFile),
  };
}

/**
 * Reads the service's address. Throws an `UnusableSetting` if the text is not an address, with the message
 * `whenMissing` if there is no text.
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
