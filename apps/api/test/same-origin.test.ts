import { AllowedOrigins } from '@svc/settings';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type OriginFacts, originRefusal } from '../src/admission/same-origin.ts';

const REQUIRED = 'CSRF: Origin or Referer header required';
const INVALID = 'CSRF: invalid Origin/Referer';
const MISMATCH = 'CSRF: Origin/Referer mismatch';

function check(facts: Partial<OriginFacts>, listed = ''): string | null {
  const { allowed, unusable } = AllowedOrigins.parse(listed);
  expect(unusable).toEqual([]);
  return originRefusal(
    {
      method: 'POST',
      host: 'lab.test:4723',
      origin: undefined,
      referer: undefined,
      secFetchSite: undefined,
      carriesOwnCredential: false,
      ...facts,
    },
    allowed,
  );
}

describe('who is asked', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s must carry Origin or Referer (spec 5.6.1)', (method) => {
    expect(check({ method })).toBe(REQUIRED);
    expect(check({ method, origin: '' })).toBe(REQUIRED);
    expect(check({ method, referer: '' })).toBe(REQUIRED);
    expect(check({ method, origin: 'http://lab.test:4723' })).toBeNull();
    expect(check({ method, origin: 'http://evil.test' })).toBe(MISMATCH);
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s is not asked (spec 5.6.1)', (method) => {
    expect(check({ method, origin: 'http://evil.test', secFetchSite: 'cross-site' })).toBeNull();
  });

  it('a request with a credential of its own is not asked (spec 5.6.1)', () => {
    expect(check({ carriesOwnCredential: true })).toBeNull();
    expect(
      check({ carriesOwnCredential: true, origin: 'http://evil.test', secFetchSite: 'cross-site' }),
    ).toBeNull();
  });

  it('a method nobody knows is asked like a change', () => {
    expect(check({ method: 'PURGE' })).toBe(REQUIRED);
    expect(check({ method: 'get' })).toBe(REQUIRED);
  });
});

describe('own host', () => {
  test.each([
    ['http://lab.test:4723', 'lab.test:4723'],
    ['https://lab.test:4723', 'lab.test:4723'],
    ['http://LAB.test:4723', 'lab.TEST:4723'],
    ['http://lab.test', 'lab.test'],
    ['http://lab.test', 'lab.test:80'],
    ['http://lab.test:80', 'lab.test'],
    ['https://lab.test', 'lab.test:443'],
    ['https://lab.test:443', 'lab.test'],
    ['http://[::1]:4723', '[::1]:4723'],
    ['http://[::1]', '[0:0:0:0:0:0:0:1]:80'],
    ['http://127.0.0.1:4723', '127.0.0.1:4723'],
    ['https://bücher.test', 'xn--bcher-kva.test'],
  ])('%s is the server reached at %s (spec 5.6.1)', (origin, host) => {
    expect(check({ origin, host })).toBeNull();
    expect(check({ referer: `${origin}/svc/login?next=%2Fsvc`, host })).toBeNull();
  });

  test.each([
    ['http://lab.test', 'lab.test:4723'],
    ['http://lab.test:4723', 'lab.test'],
    ['http://lab.test:4724', 'lab.test:4723'],
    ['https://lab.test', 'lab.test:80'],
    ['http://lab.test', 'lab.test:443'],
    ['http://lab.test.evil.test', 'lab.test'],
    ['http://evil-lab.test', 'lab.test'],
    ['http://sub.lab.test', 'lab.test'],
    ['http://lab.test@evil.test', 'lab.test'],
    ['http://lab.test:4723@evil.test:4723', 'lab.test:4723'],
    ['http://evil.test/lab.test:4723', 'lab.test:4723'],
    ['http://evil.test#@lab.test:4723', 'lab.test:4723'],
    ['http://evil.test\\@lab.test:4723', 'lab.test:4723'],
    ['http://[::1]:4723', '[::2]:4723'],
    ['http://localhost:4723', '127.0.0.1:4723'],
  ])('%s is not the server reached at %s (spec 5.6.1)', (origin, host) => {
    expect(check({ origin, host })).toBe(MISMATCH);
    expect(check({ referer: origin, host })).toBe(MISMATCH);
  });

  test.each([
    ...[
      'null',
      'lab.test:4723',
      '//lab.test:4723',
      'garbage',
      'http://',
      'http:// lab.test:4723',
      'http://[::1',
    ],
    ...['http://lab.test:99999', 'http://lab.test:4723, http://evil.test', 'about:blank', 'data:text/html,x'],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'chrome-extension://abcdef', 'ws://lab.test:4723', '*'],
  ])('%j is an invalid Origin/Referer (spec 5.6.2)', (stated) => {
    expect(check({ origin: stated })).toBe(INVALID);
    expect(check({ referer: stated })).toBe(INVALID);
  });

  it('Origin decides, Referer speaks only where there is none (spec 5.6.1)', () => {
    const own = 'http://lab.test:4723';
    expect(check({ origin: 'http://evil.test', referer: `${own}/svc/` })).toBe(MISMATCH);
    expect(check({ origin: 'null', referer: `${own}/svc/` })).toBe(INVALID);
    expect(check({ origin: own, referer: 'http://evil.test/' })).toBeNull();
    expect(check({ referer: 'http://evil.test/?lab.test:4723' })).toBe(MISMATCH);
  });

  test.each([
    ...[
      undefined,
      '',
      ' ',
      'lab.test:4723/x',
      'x@lab.test:4723',
      'lab.test:4723#',
      'lab.test:4723?',
      '\\lab.test',
    ],
    ...['lab.test:4723, lab.test:4723', 'lab.test:port'],
  ])('a Host header of %j equals nothing', (host) => {
    expect(check({ origin: 'http://lab.test:4723', host })).toBe(MISMATCH);
  });

  it('Sec-Fetch-Site: cross-site is refused on a change unless the origin is listed (spec 5.6.1)', () => {
    const origin = 'http://lab.test:4723';
    for (const secFetchSite of ['same-origin', 'same-site', 'none', undefined]) {
      expect(check({ origin, secFetchSite })).toBeNull();
    }
    expect(check({ origin, secFetchSite: 'cross-site' })).toBe(MISMATCH);
    expect(check({ origin: 'https://ci.test', secFetchSite: 'cross-site' }, 'https://ci.test')).toBeNull();
    expect(check({ referer: 'https://ci.test/job', secFetchSite: 'cross-site' }, 'ci.test')).toBeNull();
  });
});

describe('SVC_ALLOWED_ORIGINS', () => {
  it('an origin is listed with its scheme, for Origin and Referer alike (spec 5.6.3)', () => {
    const listed = 'https://ci.test, http://tools.test:8080/';
    expect(check({ origin: 'https://ci.test' }, listed)).toBeNull();
    expect(check({ origin: 'https://CI.test:443' }, listed)).toBeNull();
    expect(check({ referer: 'https://ci.test/job/1' }, listed)).toBeNull();
    expect(check({ origin: 'http://tools.test:8080' }, listed)).toBeNull();
    for (const origin of [
      'http://ci.test',
      'https://ci.test:444',
      'https://x.ci.test',
      'https://tools.test:8080',
    ]) {
      expect(check({ origin }, listed), origin).toBe(MISMATCH);
    }
  });

  it('a bare host stands for both schemes, each with its own default port (spec 5.6.3)', () => {
    expect(check({ origin: 'http://ci.test' }, 'CI.test')).toBeNull();
    expect(check({ origin: 'https://ci.test' }, 'ci.test')).toBeNull();
    expect(check({ origin: 'https://ci.test:8443' }, 'ci.test')).toBe(MISMATCH);
    expect(check({ origin: 'https://ci.test:8443' }, 'ci.test:8443')).toBeNull();
    expect(check({ origin: 'https://ci.test' }, 'ci.test:443')).toBeNull();
    expect(check({ origin: 'http://[::1]:9000' }, '[::1]:9000')).toBeNull();
  });

  it('a bare host with one default port does not open the other scheme on its own (spec 5.6.3)', () => {
    expect(check({ origin: 'http://ci.test' }, 'ci.test:443')).toBe(MISMATCH);
    expect(check({ origin: 'http://ci.test:443' }, 'ci.test:443')).toBeNull();
    expect(check({ origin: 'https://ci.test' }, 'ci.test:80')).toBe(MISMATCH);
  });

  it('blanks between commas are no entries (spec 5.6.3)', () => {
    expect(check({ origin: 'https://a.test' }, ' , https://a.test,,')).toBeNull();
    expect(check({ origin: 'https://b.test' }, '')).toBe(MISMATCH);
  });

  test.each([
    ...[
      '*',
      'https://*.ci.test',
      '*.ci.test',
      'https://ci.test/app',
      'https://ci.test?x=1',
      'https://ci.test/#a',
    ],
    ...[
      'https://user@ci.test',
      'https://user:pw@ci.test',
      'ftp://ci.test',
      'ci.test/app',
      'u@ci.test',
      'a b',
    ],
    ...['https://', 'ci.test:port', 'null://x'],
  ])('%j is neither an origin nor a host, is left out and said so (spec 5.6.3)', (entry) => {
    const { allowed, unusable } = AllowedOrigins.parse(`https://ok.test,${entry}`);
    expect(unusable).toEqual([entry]);
    expect(allowed.lists('https://ok.test')).toBe(true);
    expect(allowed.lists('https://ci.test')).toBe(false);
  });

  it('SVC_ALLOWED_ORIGINS answers for the Origin header a browser sends (spec 5.6.3)', () => {
    const { allowed } = AllowedOrigins.parse('https://ci.test');
    expect(allowed.lists('https://ci.test')).toBe(true);
    for (const origin of ['null', '', 'http://ci.test', 'https://ci.test.evil.test', '*']) {
      expect(allowed.lists(origin), origin).toBe(false);
    }
    expect(AllowedOrigins.none().lists('https://ci.test')).toBe(false);
  });
});

describe('properties', () => {
  const label = fc
    .stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/)
    // Names that begin with `xn--` are left out, because their rest would have to be valid Punycode.
    .filter((text) => !text.startsWith('xn--'));
  const host = fc.tuple(label, label).map((labels) => labels.join('.'));
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
  const scheme = fc.constantFrom('http', 'https');
  const at = (name: string, number: number | undefined) =>
    number === undefined ? name : `${name}:${number}`;

  it('the origin check passes when host and port are the same, in any letter case (spec 5.6.1)', () => {
    fc.assert(
      fc.property(scheme, host, port, (protocol, name, number) => {
        const origin = `${protocol}://${at(name, number)}`;
        expect(check({ origin, host: at(name.toUpperCase(), number) })).toBeNull();
        expect(check({ origin: origin.toUpperCase(), host: at(name, number) })).toBeNull();
        expect(check({ origin, host: 'elsewhere.invalid' }, origin)).toBeNull();
      }),
    );
  });

  it('the origin check never passes another host, whatever stands around it (spec 5.6.1)', () => {
    const wrap = fc.constantFrom(
      (_own: string, other: string) => `http://${other}`,
      (own: string, other: string) => `http://${own}@${other}`,
      (own: string, other: string) => `http://${own}.${other}`,
      (own: string, other: string) => `http://${other}/${own}`,
      (own: string, other: string) => `http://${other}?http://${own}`,
      (own: string, _other: string) => `http://x-${own}`,
    );
    fc.assert(
      fc.property(host, host, wrap, (own, other, write) => {
        fc.pre(own !== other);
        expect(check({ origin: write(own, other), host: own })).toBe(MISMATCH);
      }),
    );
  });

  it('any text at all is answered with one of the three refusals or let through, never an error (spec 5.6.2)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (stated, own) => {
        expect([null, REQUIRED, INVALID, MISMATCH]).toContain(check({ origin: stated, host: own }));
      }),
    );
  });
});
