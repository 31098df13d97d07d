import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markAuthorized } from '../src/forward.ts';
import { createHeaders } from '../src/remote/created.ts';
import type { Target } from '../src/target.ts';
import { routeOf, traced } from '../src/tracing.ts';

describe('the route of a command', () => {
  it.each([
    ['/session/1f0a', '/session/*'],
    ['/session/1f0a/', '/session/*/'],
    ['/session/1f0a?ticket=x', '/session/*'],
    ['/session/1f0a/element/00-1/click?token=x', '/session/*/element/*/click'],
    ['/session/1f0a/element/00-1/attribute/password', '/session/*/element/*/attribute/*'],
    ['/session/1f0a/appium/device/press_keycode', '/session/*/appium/device/press_keycode'],
    ['/session/1f0a/CLICK/%75rl', '/session/*/*/*'],
    [`/session/1f0a${'/url'.repeat(300)}`, `/session/*${'/url'.repeat(10)}`],
  ])('%s', (url, route) => {
    expect(routeOf(url)).toBe(route);
  });

  it('the route of a command holds nothing that a client made up', () => {
    const text = fc.string({ minLength: 1 }).filter((part) => !part.includes('/') && !part.includes('?'));
    fc.assert(
      fc.property(text, fc.array(text), (id, parts) => {
        const route = routeOf(`/session/${[id, ...parts].map((part) => `canary${part}`).join('/')}`);
        expect(route).toMatch(/^\/session(?:\/\*)+$/);
        expect(route.length).toBeLessThan(64);
      }),
    );
  });
});

describe('what is followed', () => {
  const followed = (target: Target) => {
    const req = { headers: {} } as IncomingMessage;
    markAuthorized(req, target);
    const seen: string[] = [];
    const upstream = traced(
      { request: () => void seen.push('forwarded'), upgrade: () => undefined },
      {
        tracing: {
          create: () => void seen.push('create'),
          created: () => undefined,
          command: (_req, _res, id, route) => void seen.push(`${id} ${route}`),
        },
        sessions: { ownerOf: (id) => (id === 'known' ? null : undefined) },
        basePath: '/wd/hub',
      },
    );
    upstream.request(req, {} as ServerResponse);
    return seen;
  };

  it('commands of known sessions, before they are forwarded; nothing else', () => {
    const url = '/wd/hub/session/known/url';
    expect(followed({ kind: 'command', url, sessionId: 'known' })).toEqual([
      'known /session/*/url',
      'forwarded',
    ]);
    expect(followed({ kind: 'command', url, sessionId: 'other' })).toEqual(['forwarded']);
    expect(followed({ kind: 'command', url, sessionId: undefined })).toEqual(['forwarded']);
    expect(followed({ kind: 'other', url: '/status' })).toEqual(['forwarded']);
  });

  it('the place in a trace goes along with a create that runs elsewhere, and nothing besides (contract 8.2)', () => {
    const headers = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      'x-request-id': 'r-1',
    };
    const req = { headers: { ...headers, authorization: 'x', cookie: 'y', baggage: 'z' } };
    expect(createHeaders(req as unknown as IncomingMessage)).toEqual(headers);
  });
});
