import type { ServerResponse } from 'node:http';
import { type DeviceLab, executeMethodOf, runExecuteMethod, UnknownExecuteMethod } from '@svc/device-lab';
import { authorizedAs } from '@svc/webdriver-gate';
import type { FrontHandler } from './appium-types.ts';
import { routeOf } from './placement.ts';

/**
 * `driver.execute('svc: …')` (contract 6.5), answered ahead of Appium's own route and behind the gate and its
 * tripwire. Not by a plugin's `execute` method: with one, every other script would no longer be proxied straight
 * to its driver.
 */
export function executeMethods(basePath: string, lab: DeviceLab): FrontHandler {
  const route = routeOf(`${basePath}/session`, '/([^/]+)/execute/sync/?$');
  return (req, res, next) => {
    const passed = req.method === 'POST' && route.test(req.path) ? authorizedAs(req) : undefined;
    const id = passed?.kind === 'command' ? passed.sessionId : undefined;
    const { script, args } = (req.body ?? {}) as { script?: unknown; args?: unknown };
    const isKnown = id !== undefined && lab.sessions.ownerOf(id) !== undefined;
    if (!isKnown || !answerExecuteMethod(lab, id, { script, args }, res)) next();
  };
}

/** False: the script is the driver's. */
export function answerExecuteMethod(
  lab: DeviceLab,
  id: string,
  { script, args }: { readonly script?: unknown; readonly args?: unknown },
  res: ServerResponse,
): boolean {
  const name = executeMethodOf(script);
  if (name === undefined) return false;
  const reply = run(lab, id, name, args);
  const answer = () => send(res, reply);
  void lab.keepAlive(id).then(answer, answer);
  return true;
}

interface Reply {
  readonly status: number;
  readonly value: object;
}

function run(lab: DeviceLab, id: string, name: string, args: unknown): Reply {
  try {
    return { status: 200, value: runExecuteMethod(lab, id, name, args) };
  } catch (error) {
    if (error instanceof UnknownExecuteMethod) return failure(404, 'unknown command', error.message);
    throw error;
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
