import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal, Unavailable } from '../src/errors.ts';
import type { Account } from '../src/principal.ts';
import { type Core, NOTHING, type Shown, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { refusalOf, refusalOfAsync } from '../src/testing/support.ts';
import { KeyRing } from '../src/tokens/key-ring.ts';

let here: Installation;
let core: Core;
/** Users with one kind of credential each, so that the admitted user shows which credential decided. */
let keyUser: Account;
let bearerUser: Account;
let cookieUser: Account;
let otherUser: Account;

type State = 'absent' | 'valid' | 'invalid' | 'foreign';
let values: Record<keyof Shown, Record<State, string | undefined>>;

beforeAll(async () => {
  here = await installation();
});

beforeEach(async () => {
  core = setUpCore(here.ring, memoryStores());
  keyUser = core.addUser('key', 'Member');
  bearerUser = core.addUser('bearer', 'Member');
  cookieUser = core.addUser('cookie', 'Member');
  otherUser = core.addUser('other', 'Super admin');
  const own = core.addToken(keyUser);
  const foreign = core.addToken(otherUser);
  const { bearer } = (await core.issue(await core.verify(core.addToken(bearerUser).pair))).bearer;
  const { cookie } = await core.signIn(cookieUser);
  const invalid = `${own.secret.slice(0, -1)}${own.secret.endsWith('x') ? 'y' : 'x'}`;
  values = {
    accessKey: {
      absent: undefined,
      valid: keyUser.accessKey,
      invalid: 'svc_ffffffffffffffffffffffff',
      foreign: otherUser.accessKey,
    },
    token: { absent: undefined, valid: own.secret, invalid, foreign: foreign.secret },
    bearer: { absent: undefined, valid: bearer, invalid: 'a.b.c', foreign: undefined },
    cookie: { absent: undefined, valid: cookie, invalid: 'f'.repeat(43), foreign: undefined },
  };
});

interface Combination {
  accessKey: State;
  token: State;
  bearer: State;
  cookie: State;
}

const PAIR_STATES: State[] = ['absent', 'valid', 'invalid', 'foreign'];
const STATES: State[] = ['absent', 'valid', 'invalid'];
const ALL: Combination[] = PAIR_STATES.flatMap((accessKey) =>
  PAIR_STATES.flatMap((token) =>
    STATES.flatMap((bearer) => STATES.map((cookie) => ({ accessKey, token, bearer, cookie }))),
  ),
);

/**
 * @returns the id of the user or the error code that specification 5.1.1 requires, by which the strongest kind of
 * credential present decides alone
 */
function expected({ accessKey, token, bearer, cookie }: Combination): string {
  if (accessKey !== 'absent' || token !== 'absent') {
    if (accessKey === 'valid' && token === 'valid') return keyUser.id;
    if (accessKey === 'foreign' && token === 'foreign') return otherUser.id;
    return 'invalid credentials';
  }
  if (bearer !== 'absent') return bearer === 'valid' ? bearerUser.id : 'invalid token';
  if (cookie !== 'absent') return cookie === 'valid' ? cookieUser.id : 'invalid session';
  return 'unauthenticated';
}

function present(combination: Combination): Shown {
  return {
    accessKey: values.accessKey[combination.accessKey],
    token: values.token[combination.token],
    bearer: values.bearer[combination.bearer],
    cookie: values.cookie[combination.cookie],
  };
}

async function outcome(presented: Shown): Promise<string> {
  try {
    return (await core.authenticator.authenticate(presented)).account.id;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return error.code;
    throw error;
  }
}

describe('precedence', () => {
  it('pair, then bearer, then cookie; the first present decides alone, in all 144 combinations (spec 5.1.1)', async () => {
    expect(ALL).toHaveLength(144);
    for (const combination of ALL) {
      expect(await outcome(present(combination)), JSON.stringify(combination)).toBe(expected(combination));
    }
  });

  it('answers the same when every valid credential was used before (spec 5.1.1)', async () => {
    for (const combination of ALL) await outcome(present(combination));
    for (const combination of ALL) {
      expect(await outcome(present(combination)), JSON.stringify(combination)).toBe(expected(combination));
    }
  });

  it('half a pair is a failing pair, beside whatever else is valid (contract 1)', async () => {
    const rest = { bearer: values.bearer.valid, cookie: values.cookie.valid };
    for (const half of [
      { accessKey: values.accessKey.valid, token: undefined },
      { accessKey: undefined, token: values.token.valid },
      { accessKey: '', token: values.token.valid },
      { accessKey: values.accessKey.valid, token: '' },
      { accessKey: '', token: '' },
      { accessKey: '', token: undefined },
      { accessKey: undefined, token: '' },
    ]) {
      expect(await outcome({ ...rest, ...half })).toBe('invalid credentials');
    }
  });

  it('an empty bearer token or cookie is present and fails (spec 5.1.1)', async () => {
    expect(await outcome({ ...NOTHING, bearer: '', cookie: values.cookie.valid })).toBe('invalid token');
    expect(await outcome({ ...NOTHING, cookie: '' })).toBe('invalid session');
  });

  it("a token with another user's access key fails, also an admin's (spec 2 Access key)", async () => {
    const { accessKey, token } = values;
    expect(await outcome({ ...NOTHING, accessKey: accessKey.foreign, token: token.valid })).toBe(
      'invalid credentials',
    );
    expect(await outcome({ ...NOTHING, accessKey: accessKey.valid, token: token.foreign })).toBe(
      'invalid credentials',
    );
    expect(await outcome({ ...NOTHING, accessKey: accessKey.valid?.toUpperCase(), token: token.valid })).toBe(
      'invalid credentials',
    );
  });

  it('a kind sent in the place of another fails', async () => {
    const [secret, bearer, cookie] = [values.token.valid, values.bearer.valid, values.cookie.valid];
    expect(await outcome({ ...NOTHING, bearer: secret })).toBe('invalid token');
    expect(await outcome({ ...NOTHING, bearer: cookie })).toBe('invalid token');
    expect(await outcome({ ...NOTHING, cookie: secret })).toBe('invalid session');
    expect(await outcome({ ...NOTHING, cookie: bearer })).toBe('invalid session');
    expect(await outcome({ ...NOTHING, accessKey: keyUser.accessKey, token: bearer })).toBe(
      'invalid credentials',
    );
  });

  it('a request is answered without a promise', () => {
    const pair = { ...NOTHING, accessKey: values.accessKey.valid, token: values.token.valid };
    expect(core.authenticator.authenticate(pair)).not.toBeInstanceOf(Promise);
    expect(core.authenticator.authenticate({ ...NOTHING, cookie: values.cookie.valid })).not.toBeInstanceOf(
      Promise,
    );
    const bearer = { ...NOTHING, bearer: values.bearer.valid };
    expect(core.authenticator.authenticate(bearer)).not.toBeInstanceOf(Promise);
  });
});

describe('checks that cost nothing or cannot run', () => {
  it('a wrong checksum or form is refused without a look-up (contract 4)', () => {
    let lookUps = 0;
    const { apiTokens } = core.stores;
    const byHash = apiTokens.byHash.bind(apiTokens);
    Object.assign(apiTokens, {
      byHash: (hash: string) => {
        lookUps += 1;
        return byHash(hash);
      },
    });
    const valid = values.token.valid as string;
    const wrong = [values.token.invalid as string, '', 'svct_', `${valid} `, valid.toLowerCase()];
    for (const token of wrong) {
      expect(
        refusalOf(() => core.authenticator.authenticate({ ...NOTHING, accessKey: keyUser.accessKey, token })),
      ).toMatchObject({ code: 'invalid credentials', reason: 'token has a wrong form or checksum' });
    }
    expect(lookUps).toBe(0);
    core.authenticator.authenticate({ ...NOTHING, accessKey: keyUser.accessKey, token: valid });
    expect(lookUps).toBe(1);
  });

  it('a store out of reach is unavailable, never a refusal (contract 1)', () => {
    const broken = () => {
      throw new Unavailable('database');
    };
    for (const [store, presented] of [
      ['apiTokens', { ...NOTHING, accessKey: keyUser.accessKey, token: values.token.valid }],
      ['signIns', { ...NOTHING, cookie: values.cookie.valid }],
    ] as const) {
      Object.assign(core.stores[store], { byHash: broken });
      expect(() => core.authenticator.authenticate(presented)).toThrow(Unavailable);
    }
  });

  it('bearers are unavailable without a signing key, but key pairs and cookies work (contract 4)', async () => {
    const keyless = setUpCore(KeyRing.empty(), core.stores);
    const bearer = { ...NOTHING, bearer: values.bearer.valid };
    await expect(keyless.verify(bearer)).rejects.toBeInstanceOf(Unavailable);
    await expect(keyless.authenticator.authenticateSessionToken('x')).rejects.toBeInstanceOf(Unavailable);
    const pair = { ...NOTHING, accessKey: values.accessKey.valid, token: values.token.valid };
    const caller = await keyless.verify(pair);
    expect(caller.account.id).toBe(keyUser.id);
    expect((await keyless.verify({ ...NOTHING, cookie: values.cookie.valid })).account.id).toBe(
      cookieUser.id,
    );
    await expect(keyless.issue(caller)).rejects.toBeInstanceOf(Unavailable);
    expect((await refusalOfAsync(() => keyless.verify(NOTHING))).code).toBe('unauthenticated');
  });
});
