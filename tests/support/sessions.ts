import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Role } from '@svc/contract';
import { FAKE_PHONE } from './appium.ts';
import {
  freePort,
  type KeyPair,
  type LabInfo,
  makeToken,
  makeUser,
  type RunningServer,
  request,
  runNode,
  signIn,
} from './lab.ts';

export type Options = Readonly<Record<string, unknown>>;

export interface Created {
  readonly status: number;
  readonly body: { readonly value: { sessionId: string; error?: string; message?: string } & Options };
}

/** Creates a session with plain HTTP; `options` are the `svc:options`. */
export async function createSession(
  url: string,
  options: Options | undefined,
  {
    capabilities = {},
    headers = {},
    basePath,
  }: { capabilities?: Options; headers?: Record<string, string>; basePath?: string } = {},
): Promise<Created> {
  const info = await phoneAt(url);
  const alwaysMatch = {
    ...info.capabilities,
    ...(options === undefined ? {} : { 'svc:options': options }),
    ...capabilities,
  };
  const answer = await request(`${url}${basePath ?? info.basePath}/session`, {
    method: 'POST',
    headers,
    json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
  });
  return { status: answer.status, body: (await answer.json()) as Created['body'] };
}

/** @returns what the lab publishes about its phones, or the same capabilities without a base path for other servers */
async function phoneAt(url: string): Promise<Pick<LabInfo, 'basePath' | 'capabilities'>> {
  const answer = await request(`${url}/svc/lab.json`);
  if (answer.status === 404) return { basePath: '', capabilities: FAKE_PHONE };
  return (await answer.json()) as LabInfo;
}

export interface Person extends KeyPair {
  readonly userId: string;
  readonly cookie: string;
}

/** Creates a user with a key pair. */
export async function makePerson(
  lab: RunningServer,
  admin: string,
  email: string,
  role: Role = 'Member',
): Promise<Person> {
  const user = await makeUser(lab.url, admin, { email, role });
  return { ...(await makeToken(lab.url, user.cookie)), userId: user.id, cookie: user.cookie };
}

export const pairOf = ({ accessKey, token }: KeyPair) => ({ accessKey, token });

/** Signs in the first Super admin. */
export const superAdmin = (lab: RunningServer) => signIn(lab.url);

/** Starts Appium with the fake driver of the lab's package, without the plugin. */
export async function startBareAppium(args: readonly string[] = []) {
  const lab = createRequire(import.meta.url).resolve('@svc/lab/package.json');
  const port = await freePort();
  const server = runNode(createRequire(lab).resolve('appium'), {
    env: { APPIUM_HOME: dirname(lab) },
    args: ['server', '--address', '127.0.0.1', '--port', String(port), '--log-no-colors', ...args],
  });
  await server.line(/REST http interface listener started/);
  return { ...server, url: `http://127.0.0.1:${port}` };
}
