import type { DeviceLab } from '@svc/device-lab';
import { answerExecuteMethod, authorizedAs } from '@svc/webdriver-gate';
import type { FrontHandler } from './appium-types.ts';
import { routeOf } from './placement.ts';

/**
 * Responds to `driver.execute('svc: …')` (contract 6.5) after svc has authorized the command and before Appium routes
 * it. This is not done in an `execute` method of the plugin, because Appium would then stop proxying all other scripts
 * directly to the driver.
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
