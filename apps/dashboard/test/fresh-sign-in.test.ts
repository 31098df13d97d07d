import { afterEach, describe, expect, it, vi } from 'vitest';
import { call } from '../src/api/client.ts';
import { askForProofWith } from '../src/api/fresh-sign-in.ts';

const STALE = () => Response.json({ error: 'fresh_sign_in_required' }, { status: 403 });
const MADE = () => Response.json({ url: 'https://hooks.test' }, { status: 201 });

/** Replaces `fetch` by a function that returns these responses in order, and counts the calls. */
function answering(...answers: (() => Response)[]) {
  const fetching = vi.fn(async () => (answers.shift() ?? STALE)());
  vi.stubGlobal('fetch', fetching);
  return fetching;
}

const create = () =>
  call('createWebhook', { body: { url: 'https://hooks.test', events: ['session_failed'] } });

describe('a call to a route that requires a fresh sign-in', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('a call to a route that requires a fresh sign-in is repeated with the same body after the proof (contract 10 fresh sign-in)', async () => {
    const fetching = answering(STALE, MADE);
    askForProofWith(async () => true);
    expect(await create()).toEqual({ url: 'https://hooks.test' });
    const [first, second] = fetching.mock.calls as unknown as [string, RequestInit][];
    expect(fetching).toHaveBeenCalledTimes(2);
    expect(second?.[0]).toBe(first?.[0]);
    expect(second?.[1].body).toBe(first?.[1].body);
  });

  it('a call to a route that requires a fresh sign-in is repeated only once, and not at all without a proof (contract 10 fresh sign-in)', async () => {
    askForProofWith(async () => true);
    const twice = answering(STALE, STALE);
    await expect(create()).rejects.toMatchObject({ code: 'fresh_sign_in_required' });
    expect(twice).toHaveBeenCalledTimes(2);
    askForProofWith(async () => false);
    const once = answering(STALE);
    await expect(create()).rejects.toMatchObject({ code: 'fresh_sign_in_required' });
    expect(once).toHaveBeenCalledTimes(1);
  });

  it('a call to a route that requires a fresh sign-in asks once for calls that are refused at the same time (contract 10 fresh sign-in)', async () => {
    answering(STALE, STALE, MADE, MADE);
    const asked = vi.fn(async () => true);
    askForProofWith(asked);
    await Promise.all([create(), create()]);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
