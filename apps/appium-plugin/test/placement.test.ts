import type { IncomingMessage, ServerResponse } from 'node:http';
import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { type AppiumGate, markAuthorized, Targets } from '@svc/webdriver-gate';
import { describe, expect, it } from 'vitest';
import type { AppiumServer, FrontHandler } from '../src/appium-types.ts';
import { setTripwire } from '../src/placement.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Sets up a tripwire.
 * @returns a function that sends it a request whose path Express reads as `path` and that the gate authorized for the
 * path `passed`, and returns whether the tripwire caught the request
 */
function tripwire(basePath = '') {
  const originOf = () => ({ requestId: 'run.1' });
  const gate = { targets: new Targets(basePath), originOf } as unknown as AppiumGate;
  const handlers: FrontHandler[] = [];
  const server = { frontRouter: { use: (handler: FrontHandler) => handlers.push(handler) } };
  setTripwire(server as unknown as AppiumServer, gate, QUIET, (_req, _res, next) => next());
  return (method: string, path: string, passed?: string): 'caught' | 'goes on' => {
    const req = { method, path } as IncomingMessage & { path: string };
    if (passed !== undefined) markAuthorized(req, gate.targets.classify(passed));
    let body = '';
    let wentOn = false;
    const res = { writeHead: () => res, end: (text: string) => (body = text) };
    for (const handler of handlers) {
      handler(req, res as unknown as ServerResponse, () => {
        wentOn = true;
      });
    }
    expect(body).toBe(wentOn ? '' : UNKNOWN_SESSION_BODY);
    return wentOn ? 'goes on' : 'caught';
  };
}

describe('the tripwire (spec 5.7.9)', () => {
  it('the tripwire cannot be set before Appium 3.7: the start fails (spec 5.7.9)', () => {
    const gate = { targets: new Targets('') } as unknown as AppiumGate;
    const set = () => setTripwire({} as AppiumServer, gate, QUIET, () => undefined);
    expect(set).toThrow('Appium 3.7');
  });

  it.each<[string, string, string | undefined, 'caught' | 'goes on']>([
    ['GET', '/session/S/url', '/session/S/url', 'goes on'],
    ['GET', '/session/a%62c/url', '/session/abc/url', 'goes on'],
    ['POST', '/session', '/session', 'goes on'],
    ['POST', '/Session/', '/SESSION/', 'goes on'],
    ['GET', '/session', undefined, 'goes on'],
    ['GET', '/sessions', undefined, 'goes on'],
    ['GET', '/x/session/S', undefined, 'goes on'],
    ['GET', '/session/S/url', undefined, 'caught'],
    ['DELETE', '/session/S', undefined, 'caught'],
    ['GET', '/SESSION/S/', undefined, 'caught'],
    ['GET', '/session/S', '/session/T', 'caught'],
    ['GET', '/session/S', '/session/s', 'caught'],
    ['GET', '/session/S', '/session', 'caught'],
    ['GET', '/session/S', '/status', 'caught'],
    ['GET', '/session/%zz', '/session/S', 'caught'],
    ['POST', '/session', undefined, 'caught'],
    ['POST', '/SESSION/', undefined, 'caught'],
    ['POST', '/session', '/session/S', 'caught'],
    ['POST', '/session', '//session', 'caught'],
  ])('%s %s, let through as %s: %s', (method, path, passed, wanted) => {
    expect(tripwire()(method, path, passed)).toBe(wanted);
  });

  it('the tripwire reads a base path to the letter (spec 5.7.9)', () => {
    const ask = tripwire('/wd.x');
    expect(ask('GET', '/wd.x/session/S', '/wd.x/session/S')).toBe('goes on');
    expect(ask('GET', '/WD.x/session/S')).toBe('caught');
    expect(ask('GET', '/wd-x/session/S')).toBe('goes on');
  });
});
