import type { ServerResponse } from 'node:http';
import { type DeviceLab, executeMethodOf, runExecuteMethod, UnknownExecuteMethod } from '@svc/device-lab';

/**
 * Runs an `svc:` execute method of a session and sends the response (contract 6.5). Returns false if the script is not
 * such a method. The caller must then forward the script to the driver.
 */
export function answerExecuteMethod(
  lab: DeviceLab,
  id: string,
  { script, args }: { readonly script?: unknown; readonly args?: unknown },
  res: ServerResponse,
): boolean {
  const name = executeMethodOf(script);
  if (name === undefined) return false;
  const reply = run(lab, id, name, args);
  void Promise.allSettled([reply, lab.drivers.keepAlive(id)]).then(async () => send(res, await reply));
  return true;
}

interface Reply {
  readonly status: number;
  readonly value: object;
}

/** Runs an execute method. Never rejects, because a failure becomes an error response. */
async function run(lab: DeviceLab, id: string, name: string, args: unknown): Promise<Reply> {
  try {
    return { status: 200, value: await runExecuteMethod(lab, id, name, args) };
  } catch (error) {
    if (error instanceof UnknownExecuteMethod) return failure(404, 'unknown command', error.message);
    return failure(500, 'unknown error', 'the command could not be carried out');
  }
}

function failure(status: number, error: string, message: string): Reply {
  return { status, value: { error, message, stacktrace: '' } };
}

function send(res: ServerResponse, { status, value }: Reply): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
  res.end(JSON.stringify({ value }));
}
