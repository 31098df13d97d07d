import { type RunningServer, request, signIn, startApi } from '../../support/lab.ts';
import { type Options, type Person, pairOf } from '../../support/sessions.ts';

export interface Entrance extends RunningServer {
  /** Cookie of the first Super admin. */
  readonly admin: string;
}

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' } as const;

/** Starts the API alone, as the entrance of a grid. */
export async function startEntrance(
  upstream: string,
  {
    env = STRICT as Readonly<Record<string, string>>,
    dataDir,
  }: { env?: Readonly<Record<string, string>>; dataDir?: string } = {},
): Promise<Entrance> {
  const server = await startApi({
    env: { SVC_UPSTREAM: upstream, ...env },
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  return { ...server, admin: await signIn(server.url) };
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of a grid have any shape.
  readonly body: any;
  readonly headers: Headers;
}

export async function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    json,
  }: { method?: string; headers?: Record<string, string>; json?: unknown } = {},
): Promise<Answer> {
  const answer = await request(url, { method, headers, ...(json === undefined ? {} : { json }) });
  const text = await answer.text();
  return { status: answer.status, body: parsed(text), headers: answer.headers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a function that creates sessions. `always` contains options in addition to the credentials of `owner`. */
export function create(url: string, owner: Person | null, always: Options = {}): Promise<Answer> {
  const options = owner === null ? {} : { 'svc:options': pairOf(owner) };
  const capabilities = { alwaysMatch: { platformName: 'Fake', ...options, ...always }, firstMatch: [{}] };
  return send(`${url}/session`, { method: 'POST', json: { capabilities } });
}

export async function createdBy(url: string, owner: Person, always: Options = {}): Promise<string> {
  const { status, body } = await create(url, owner, always);
  if (status !== 200) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
  return body.value.sessionId;
}
