import type { DeviceLab } from '@svc/device-lab';
import { answerExecuteMethod, authorizedAs } from '@svc/webdriver-gate';
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
