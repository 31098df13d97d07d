import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText, maskValue } from '../src/command-log/mask.ts';

const HIDDEN = '**REDACTED**';
const CANARY = 'c4n4ry';

/** Tests the function that masks both the capabilities in session records and the responses in the command log. */
describe('what is kept of capabilities (specification 5.5.4, contract 6.2)', () => {
  it('a stored session has no secret of its capabilities', () => {
    expect(
      maskValue({
        a: { token: 't', 'appium:keychainPassword': 'p', list: [{ apiKey: 'k' }] },
        token: null,
      }),
    ).toEqual({
      a: { token: HIDDEN, 'appium:keychainPassword': HIDDEN, list: [{ apiKey: HIDDEN }] },
      token: null,
    });
  });

  it.each([
    ['unlockKey', { 'appium:unlockType': 'pin', 'appium:unlockKey': CANARY }],
    ['pass', { login: { user: 'ana', pass: CANARY } }],
    ['a PIN', { 'appium:pin': CANARY, simPin: CANARY, SIM_PIN: CANARY, code: { 'sim-pin': CANARY } }],
    ['a PIN in digits', { unlockKey: 20_481_632, otp: 20_481_632 }],
    [
      'the environment of a process',
      { 'appium:processArguments': { env: { MODE: CANARY, list: [CANARY] } } },
    ],
    ['its arguments', { 'appium:processArguments': { args: ['-login', CANARY] } }],
    ['arguments of an intent', { 'appium:optionalIntentArguments': `--es pw ${CANARY}` }],
    ['environment variables', { environmentVariables: [`SECRET=${CANARY}`], env: CANARY }],
    ['a signed address', { app: `https://bucket/app.apk?X-Amz-Signature=${CANARY}&X-Amz-Date=${CANARY}` }],
    ['a bare query', { app: `https://bucket/app.apk?${CANARY}`, b: `see https://host/?a=1&${CANARY}&c=2` }],
    ['a fragment', { url: `https://host/svc/reset-password#${CANARY}`, b: `app://x#id_token=${CANARY}` }],
    ['a user of an address', { a: `https://${CANARY}@host/`, b: `ftp://ana:${CANARY}@host/a@b` }],
    ['JSON in a text', { 'appium:processArguments': JSON.stringify({ env: { A: CANARY } }) }],
  ])(
    'the secrets in capabilities are masked: %s (specification 5.5.4, contract 6.2)',
    (_name, capabilities) => {
      const kept = JSON.stringify(maskValue(capabilities));
      expect(kept).not.toContain(CANARY);
      expect(kept).not.toContain('20481632');
      expect(kept).toContain(HIDDEN);
    },
  );

  it('capabilities without secrets are kept, and so are the names of masked ones (specification 5.5.4, contract 6.2)', () => {
    const rest = {
      platformName: 'Android',
      'appium:unlockType': 'pin',
      'appium:newCommandTimeout': 60,
      spin: true,
      spinning: 7,
      'appium:app': '/apps/a.apk',
      list: [1, null, 'https://host/path'],
    };
    expect(maskValue(rest)).toEqual(rest);
    expect(maskValue({ env: { MODE: 'x' }, app: 'https://h/a?v=1&v=2#top' })).toEqual({
      env: { MODE: HIDDEN },
      app: `https://h/a?v=${HIDDEN}&v=${HIDDEN}#${HIDDEN}`,
    });
  });

  it('nothing below what is named like a secret or a program’s input, however deep (property)', () => {
    const secret = fc.constantFrom(
      ...[
        'token',
        'appium:unlockKey',
        'password',
        'oldPass',
        'clientSecret',
        'Authorization',
        'cookies',
        'pin',
      ],
      ...['env', 'appium:processArguments', 'intentArguments', 'environment'],
    );
    const plain = fc.constantFrom('a', 'app', 'x', 'url', 'appium:options', 'list');
    const { below } = fc.letrec((tie) => ({
      below: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constant<unknown>(CANARY),
        fc.dictionary(plain, tie('below'), { minKeys: 1, maxKeys: 3 }),
        fc.array(tie('below'), { minLength: 1, maxLength: 3 }),
      ),
    }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.dictionary(secret, below, { minKeys: 1, maxKeys: 2 }),
        fc.dictionary(plain, tie('tree'), { minKeys: 1, maxKeys: 3 }),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (capabilities) => {
        expect(JSON.stringify(maskValue(capabilities))).not.toContain(CANARY);
        expect(JSON.stringify(maskValue({ text: JSON.stringify(capabilities) }))).not.toContain(CANARY);
      }),
      { numRuns: 300 },
    );
  });

  it('no value of a query, in whatever text the address stands (property)', () => {
    const word = fc.stringMatching(/^[a-z]{0,8}$/);
    const part = fc.tuple(word, fc.boolean()).map(([name, named]) => (named ? `${name}=${CANARY}` : CANARY));
    const query = fc.array(part, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(word, query, fc.constantFrom('?', '#'), word, (before, parts, mark, after) => {
        const text = `${before} https://host/path${mark}${parts.join('&')} ${after}`;
        expect(maskText(text)).not.toContain(CANARY);
        expect(maskText(text)).toContain('https://host/path');
      }),
    );
  });
});

it.each(['svct_', 'svcl_', 'svca_'])(
  'a secret of this service is masked in any text, also in an encoded address: %s (contract 11)',
  (prefix) => {
    const secret = `${prefix}${CANARY}${'A'.repeat(40)}`;
    for (const text of [`no element ${secret}.`, `https%3A%2F%2Flab%2Fsvc%2Fattach%2F${secret}%2Fsession`]) {
      expect(maskText(text)).not.toContain(CANARY);
      expect(JSON.stringify(maskValue({ message: text, [secret]: [secret] }))).not.toContain(CANARY);
    }
  },
);
