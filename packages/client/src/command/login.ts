import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type StoredCredentials, storedCredentials } from '../credentials-file.ts';
import { addressIn, type Environment } from '../environment.ts';
import { SvcError } from '../error.ts';
import { isSafeAddress } from '../safe-address.ts';
import { type Command, type CommandIo, plainText, UsageError } from './command.ts';
import { type OAuthAnswer, postForm } from './oauth.ts';
import { revokeStored } from './revoke.ts';
import { storeCredentials } from './store-credentials.ts';

const CLIENT = 'svc-cli';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/**
 * Seconds that are added to the poll interval if the lab responds with `slow_down` or does not respond (RFC 8628,
 * section 3.5).
 */
const SLOWER = 5;
const LONGEST_NAME = 100;

export const login: Command = {
  usage: `login <address> [--name <machine>] [--scopes <scopes>]

Signs in this machine: prints a code and the address of a page, where you approve the code in a browser. The lab then
makes a token of 30 days, which is stored in ~/.config/svc/credentials.json with your access key. Client libraries
and the other commands use it if the environment names no key pair.

  <address>          scheme, host and port of the lab, as in https://lab.example:4723 (default: SVC_URL)
  --name <machine>   name of the token on the Profile page (default: the name of this machine)
  --scopes <scopes>  comma-separated, of read, sessions, devices and admin (default: those of a token made on the
                     Profile page)
`,
  run: async (args, env, io) => {
    const { url, name, scope } = read(args, env);
    // Read the credentials file before signing in. If it cannot be read, the new token could not be stored in it.
    const earlier = storedCredentials(env).get(url);
    const credentials = await signIn(url, { client_name: name, ...scope }, io);
    const path = storeCredentials(env, url, credentials);
    if (earlier !== undefined) await revokeStored(url, earlier);
    io.out(`Signed in to ${url} until ${credentials.tokenExpiresAt}. The credentials are in ${path}\n`);
    return 0;
  },
};

interface LoginOptions {
  readonly url: string;
  readonly name: string;
  readonly scope: { readonly scope?: string };
}

function read(args: readonly string[], env: Environment): LoginOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { name: { type: 'string' }, scopes: { type: 'string' } },
    allowPositionals: true,
  });
  const [address = env.SVC_URL?.trim() ?? '', ...more] = positionals;
  if (address === '' || more.length > 0) throw new UsageError();
  return {
    url: addressIn(address, ''),
    name: (values.name ?? machineName()).slice(0, LONGEST_NAME),
    scope: values.scopes === undefined ? {} : { scope: scopeIn(values.scopes) },
  };
}

/**
 * @returns the scopes of `--scopes` in the format of OAuth. Throws if there is none, because the default would be all.
 */
function scopeIn(scopes: string): string {
  const names = scopes.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) throw new UsageError();
  return names.join(' ');
}

function machineName(): string {
  return plainText(hostname()).trim() || 'terminal';
}

async function signIn(
  url: string,
  terminal: Readonly<Record<string, string>>,
  io: CommandIo,
): Promise<StoredCredentials> {
  const answer = await postForm(url, 'device_authorization', { client_id: CLIENT, ...terminal });
  if (answer.status !== 200) throw startError(url, answer);
  const { fields } = answer;
  const code = textIn(fields, 'device_code');
  if (!isSafeAddress(url)) {
    io.err(`Warning: ${url} has no TLS, so everyone on the network path can read the token.\n`);
  }
  io.out(
    [
      `Open this page in a browser:  ${pageIn(fields, 'verification_uri_complete')}`,
      `Approve it only if the page shows this code:  ${plainText(textIn(fields, 'user_code'))}`,
      `Without the link: open ${pageIn(fields, 'verification_uri')} and type the code.`,
      'Waiting for the approval …\n',
    ].join('\n'),
  );
  return untilApproved(url, code, fields, io);
}

/** Polls until a person approves the code. Throws if the person denies it or if the code expires. */
async function untilApproved(
  url: string,
  code: string,
  { interval, expires_in: lifetime }: OAuthAnswer['fields'],
  io: CommandIo,
): Promise<StoredCredentials> {
  const wait = io.pause ?? ((ms) => pause(ms));
  let every = secondsOr(interval, 5);
  let left = secondsOr(lifetime, 600);
  for (;;) {
    await wait(every * 1000);
    left -= every;
    const answer = await poll(url, code);
    if (answer?.status === 200) return credentialsIn(answer);
    const error = answer?.fields.error;
    if (error === 'access_denied') throw new Error(`the sign-in was denied${descriptionOf(answer)}`);
    if (error === 'expired_token' || left <= 0)
      throw new Error('the code has expired; run the command again');
    if (error === 'authorization_pending') continue;
    if (error !== 'slow_down' && isFinal(answer)) {
      throw new Error(
        `the lab does not know the code any more (${plainText(String(error))}); run the command again`,
      );
    }
    every += SLOWER;
  }
}

/** @returns the response to a poll, or undefined if the lab did not respond. The caller then polls again. */
async function poll(url: string, code: string): Promise<OAuthAnswer | undefined> {
  try {
    return await postForm(url, 'token', { client_id: CLIENT, grant_type: GRANT, device_code: code });
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unreachable') return undefined;
    throw error;
  }
}

function isFinal(answer: OAuthAnswer | undefined): boolean {
  return answer !== undefined && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
}

function credentialsIn({ fields }: OAuthAnswer): StoredCredentials {
  return {
    accessKey: textIn(fields, 'access_key'),
    token: textIn(fields, 'token'),
    tokenExpiresAt: textIn(fields, 'token_expires_at'),
  };
}

function startError(url: string, answer: OAuthAnswer): Error {
  const { status, retryAfter } = answer;
  if (answer.fields.error === 'invalid_scope')
    return new Error('--scopes: use read, sessions, devices and admin, separated by commas');
  if (status === 429) {
    return new Error(`too many codes wait for an approval; try again in ${retryAfter ?? 60} s`);
  }
  return new Error(
    `${url} does not offer a sign-in from a terminal (status ${status})${descriptionOf(answer)}`,
  );
}

function descriptionOf(answer: OAuthAnswer | undefined): string {
  const text = answer?.fields.error_description;
  return typeof text === 'string' ? `: ${plainText(text).slice(0, 200)}` : '';
}

function textIn(fields: OAuthAnswer['fields'], name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  throw new Error(`the lab did not send a usable ${name}`);
}

/**
 * @returns the address of a page from the response. Parsing it as a URL escapes characters that could change what the
 * terminal shows.
 */
function pageIn(fields: OAuthAnswer['fields'], name: string): string {
  const text = textIn(fields, name);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw new Error(`the lab did not send a usable ${name}`);
}

function secondsOr(value: unknown, usual: number): number {
  return typeof value === 'number' && value > 0 && value <= 3600 ? value : usual;
}
