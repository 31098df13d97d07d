import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyForwarded } from '../src/forwarded-target.ts';
import { GridTargets } from '../src/grid/grid-targets.ts';
import { Targets } from '../src/target.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const SIGNED = `${ID}.${'o'.repeat(21)}A.${'s'.repeat(85)}A`;
const OTHER = 'other';
const targets = new GridTargets('/wd/hub');

describe('what a target is to a grid', () => {
  it.each([
    [`/wd/hub/session/${ID}/url`, ID],
    [`/wd/hub/session/${SIGNED}/se/file`, SIGNED],
    [`/WD/hub/Session/${ID}`, ID],
    [`/wd/hub/session/${ID}/cookie/a%2Fb?x=%20`, ID],
    [`/wd/hub/session/${ID}/element/0.1.2/attribute/.x`, ID],
    [`/wd/hub/session/${ID}/cookie/session`, ID],
  ])('%s is a command of its session, in one spelling (contract 7)', (target, sessionId) => {
    const read = targets.classify(target);
    expect(read).toMatchObject({ kind: 'command', sessionId });
    expect('url' in read && read.url.startsWith(`/wd/hub/session/${sessionId}`)).toBe(true);
  });

  it.each([
    `/wd/hub/session/${ID}/../x`,
    `/wd/hub/session/${ID}/%2e%2E/x`,
    `/wd/hub/session/../graphql`,
    `/wd/hub/session/${ID};x/url`,
    `/wd/hub/session/%41${ID}/url`,
    `/wd/hub/session/%zz/url`,
    `/wd/hub/session/${ID}/session/${OTHER}/url`,
    `/wd/hub/session/${ID}/bidi/${OTHER}`,
    `/session/${ID}/url`,
    '/session',
    '/wd/hub/x/session',
    '/wd/hub/%73ession',
    '/se/grid/session/x',
    '/wd/hub/a/../graphql',
    '/a%2fsession%2fx',
    '/wd/hub/bidi/x',
    `/wd/hub/session/${ID}/url#x`,
  ])('%s is refused (contract 7)', (target) => {
    expect(targets.classify(target)).toEqual({ kind: 'refused' });
  });

  it('a callback address is no path of a grid (contract 7)', () => {
    expect(targets.classify(`/svc-callback/x/wd/hub/session/${ID}/url`).kind).toBe('callback');
    expect(targets.classifySocket(`/svc-callback/x/wd/hub/bidi/${ID}`).kind).toBe('refused');
  });

  it('the service’s own is left alone, and so is what a grid offers outside sessions', () => {
    expect(targets.classify('/svc/api/session/x').kind).toBe('site');
    expect(targets.classify('/').kind).toBe('site');
    for (const own of [
      '/wd/hub/graphql',
      '/wd/hub/ui/#'.slice(0, -2),
      '/wd/hub/se/grid/distributor/status',
      '/wd/hub/status',
    ])
      expect(targets.classify(own)).toEqual({ kind: 'other', url: own });
  });

  it('every upgrade below a session is its socket, and there is no other (contract 7)', () => {
    for (const path of ['se/bidi', 'se/cdp', 'se/vnc', 'x'])
      expect(
        targets.classifySocket(`/wd/hub/session/${ID}/${path}${path === 'x' ? `?a=/session/${OTHER}` : ''}`),
      ).toEqual({
        kind: 'session',
        url: `/wd/hub/session/${ID}/${path}`,
        sessionId: ID,
        bidi: true,
      });
    expect(targets.classifySocket(`/wd/hub/bidi/${ID}`)).toMatchObject({ kind: 'session', sessionId: ID });
    for (const target of [
      '/wd/hub/bidi',
      '/wd/hub/graphql',
      `/ws/session/${ID}/x`,
      '/ws/x',
      '/wd/hub/session',
    ])
      expect(targets.classifySocket(target)).toEqual({ kind: 'refused' });
  });

  it('every target that is passed on names this one session to every reader, or none (property) (contract 7)', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      'session',
      'SESSION',
      '%73ession',
      ID,
      OTHER,
      '..',
      '%2e%2e',
      '%2f',
      '%252f',
      ';',
      'se',
      'cdp',
      'bidi',
      '?',
      'wd/hub',
      'url',
      '.',
      '%5c',
      'graphql',
    );
    const plain = new Targets('/wd/hub');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const raw = `/wd/hub/${pieces.join('')}`;
        for (const read of [targets.classify(raw), targets.classifySocket(raw)]) {
          if (read.kind === 'refused' || read.kind === 'site') continue;
          const seen = classifyForwarded(plain, read.url);
          if (read.kind === 'command' || read.kind === 'session')
            expect(seen).toEqual({ kind: 'session', sessionIds: [read.sessionId] });
          else if (read.kind === 'other') expect(['other', 'listing']).toContain(seen.kind);
        }
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 12) * 100 },
    );
  });
});
