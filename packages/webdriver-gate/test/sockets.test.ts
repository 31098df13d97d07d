import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-facts.ts';
import type { CommandCheck, Verdict } from '../src/command-check.ts';
import { GridTargets } from '../src/grid/grid-targets.ts';
import { originsBy } from '../src/request-origin.ts';
import { SocketGate } from '../src/sockets.ts';
import { Targets } from '../src/target.ts';
import { ANA } from '../src/testing/index.ts';

const CALLER = ANA as unknown as Exclude<Verdict, string>;

interface Asked {
  readonly verdict?: Verdict;
  readonly isChecked?: boolean;
  readonly grid?: boolean;
}

/** @returns the decision about an upgrade, and the ids of the sessions for which the check ran */
async function decide(url: string, { verdict = CALLER, isChecked = true, grid = false }: Asked = {}) {
  const checked: (string | undefined)[] = [];
  const check = {
    check: (_req: unknown, id: string) => {
      checked.push(id);
      return Promise.resolve(verdict);
    },
  } as unknown as CommandCheck;
  const gate = new SocketGate({
    check,
    isChecked: () => isChecked,
    commandReport: null,
    sessions: { ownerOf: (id) => (id === 'known' ? 'ana' : undefined) },
    idOf: ({ sessionId, bidi }) => (bidi ? sessionId : sessionId.toLowerCase()),
    targets: grid ? new GridTargets('') : new Targets(''),
    originOf: originsBy(clientFacts([])),
    unchecked: grid ? 'pass' : 'undecided',
  });
  return { decision: await gate.decide({ url } as IncomingMessage), checked };
}

const PASS = { kind: 'pass', url: '/bidi/known', sessionId: 'known', caller: CALLER };

describe('an upgrade (specification 5.7.7)', () => {
  it.each<[Verdict, object]>([
    [CALLER, PASS],
    ['hub', { ...PASS, caller: null }],
    ['refused', { kind: 'refuse', status: 404 }],
    ['unverified', { kind: 'refuse', status: 503 }],
  ])(
    'an upgrade to a session follows the check of its sender: %j (specification 5.7.7)',
    async (verdict, expected) => {
      expect(await decide('/bidi/known', { verdict })).toEqual({ decision: expected, checked: ['known'] });
    },
  );

  it('an upgrade to a log socket is checked for the session that Appium finds in any letter case (specification 5.7.7)', async () => {
    const { decision, checked } = await decide('/ws/session/KNOWN/appium/device/logcat');
    expect(checked).toEqual(['known']);
    expect(decision).toMatchObject({ kind: 'pass', url: '/ws/session/KNOWN/appium/device/logcat' });
  });

  it.each([
    ['/svc/api/live', { kind: 'site', url: '/svc/api/live' }],
    ['/svc-callback/secret/bidi/known', { kind: 'refuse', status: 404 }],
    ['/bidi/known#x', { kind: 'refuse', status: 404 }],
    ['/drivers/own', { kind: 'undecided', url: '/drivers/own', sessionId: null, caller: null }],
  ])('an upgrade to %s is decided by its target (specification 5.7.7)', async (url, expected) => {
    expect(await decide(url)).toEqual({ decision: expected, checked: [] });
  });

  it('an upgrade never opens a BiDi socket of an unknown session without a check, because that would end Appium (specification 5.7.7)', async () => {
    const unchecked = (url: string, grid = false) => decide(url, { isChecked: false, grid });
    expect(await unchecked('/bidi/unknown')).toEqual({
      decision: { kind: 'refuse', status: 404 },
      checked: [],
    });
    expect((await unchecked('/bidi/known')).decision.kind).toBe('undecided');
    expect((await unchecked('/ws/session/unknown/x')).decision.kind).toBe('undecided');
    expect((await unchecked('/session/known/se/cdp', true)).decision.kind).toBe('pass');
    expect((await unchecked('/session/unknown/se/cdp', true)).decision.kind).toBe('refuse');
    expect((await unchecked('/drivers/own', true)).decision.kind).toBe('refuse');
  });
});
