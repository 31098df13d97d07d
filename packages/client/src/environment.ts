import { serviceOrigin } from './address.ts';
import type { KeyPair } from './credentials.ts';
import { SvcClient, type SvcClientOptions } from './rest-client.ts';

/** A setting that a person has to correct. The message never contains the given value. */
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

/** Throws an `UnusableSetting`. */
export function keyPairIn(env: Environment, readFile: ReadFile = readText): KeyPair {
  return {
    accessKey: secretIn('SVC_ACCESS_KEY', env, readFile),
    token: secretIn('SVC_TOKEN', env, readFile),
  };
}

/** Throws an `UnusableSetting`, with the message `whenMissing` if there is no text. */
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

/** Loads `node:fs` at run time, because browsers load this module too. */
function readText(path: string): string {
  return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
}
