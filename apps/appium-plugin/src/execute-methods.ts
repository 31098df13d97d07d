import type { DeviceLab } from '@svc/device-lab';
import { answerExecuteMethod, authorizedAs } from '@svc/webdriver-gate';
import type { FrontHandler } from './appium-types.ts';
import { routeOf } from './placement.ts';

/**
 * Answers `driver.execute('svc: …')` (contract 6.5) after the gate and its tripwire and before Appium's route. An
 * `execute` method of the plugin would do too, but then Appium would no longer proxy other scripts directly to the
 * driver.
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
