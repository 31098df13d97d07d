import { type RunningServer, request } from '../../support/lab.ts';
import { createSession, type Options, type Person, pairOf } from '../../support/sessions.ts';

export interface DrivenSession {
  readonly id: string;
  readonly capabilities: Options;
  /** Sends a command. @returns the value of the answer, whatever its status is */
  command(method: string, path: string, json?: unknown): Promise<unknown>;
  /** @returns the address of an element with this id, for `command` */
  element(using: string, value: string): Promise<string>;
  end(): Promise<unknown>;
}

/** Starts a session with `svc:options`, or fails with the answer of the driver. */
export async function drive(
  lab: RunningServer,
  owner: Person,
  capabilities: Options,
  options: Options = {},
): Promise<DrivenSession> {
  const { status, body } = await createSession(lab.url, { ...pairOf(owner), ...options }, { capabilities });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  const { sessionId } = body.value;
  const command: DrivenSession['command'] = async (method, path, json) => {
    const url = `${lab.url}/session/${sessionId}${path}`;
    const answer = await request(url, { method, ...(json === undefined ? {} : { json }) });
    return ((await answer.json()) as { value: unknown }).value;
  };
  return {
    id: sessionId,
    capabilities: body.value.capabilities as Options,
    command,
    element: async (using, value) => {
      const found = await command('POST', '/element', { using, value });
      return `/element/${Object.values(found as object)[0]}`;
    },
    end: () => command('DELETE', ''),
  };
}
