import { AllowedOrigins } from '@svc/settings';
import { describe, expect, it } from 'vitest';
import { passkeysWork, partyOf as relyingParty } from '../src/passkeys/relying-party.ts';

const partyOf = (
  publicUrl: string | null,
  allowed = '',
  localOrigin: string | null = 'http://localhost:4723',
) => relyingParty({ publicUrl, allowedOrigins: AllowedOrigins.parse(allowed).allowed }, { localOrigin });

describe('whom passkeys are registered for', () => {
  it.each([
    [null, 'localhost', 'http://localhost:4723'],
    ['https://lab.example', 'lab.example', 'https://lab.example'],
    ['https://lab.example:8443', 'lab.example', 'https://lab.example:8443'],
    ['http://localhost:8080', 'localhost', 'http://localhost:8080'],
    ['http://127.0.0.1:4723', 'localhost', 'http://localhost:4723'],
    ['https://10.0.0.7', 'localhost', 'http://localhost:4723'],
    ['https://[2001:db8::1]', 'localhost', 'http://localhost:4723'],
  ])('the public URL %s gives passkeys the domain %s (contract 10.2)', (publicUrl, rpId, address) => {
    expect(partyOf(publicUrl)).toMatchObject({ rpId, address });
  });

  it('the relying party of passkeys takes pages of its own address, and allowed ones of the same site (contract 10.2)', () => {
    const named = partyOf(
      'https://lab.example',
      'https://ci.lab.example, https://other.example, evil-lab.example',
    );
    const accepted = (origin: string) => named.accepts(origin);
    expect(['https://lab.example', 'https://ci.lab.example'].map(accepted)).toEqual([true, true]);
    for (const origin of [
      'http://lab.example',
      'https://lab.example:8443',
      'https://other.example',
      'https://evil-lab.example',
      'http://ci.lab.example',
      'http://localhost:4723',
      'null',
      '',
    ]) {
      expect(named.accepts(origin), origin).toBe(false);
    }
  });

  it('the relying party of passkeys takes pages at localhost with the port that the connection reached (contract 10.2)', () => {
    const local = partyOf(null);
    expect(local.accepts('http://localhost:4723')).toBe(true);
    for (const origin of [
      'http://localhost:80',
      'http://localhost',
      'http://127.0.0.1:4723',
      'https://localhost:4723',
    ])
      expect(local.accepts(origin), origin).toBe(false);
    expect(partyOf(null, '', null).accepts('http://localhost:4723')).toBe(false);
  });

  it.each([
    [null, 'localhost:4723', true],
    [null, 'LOCALHOST', true],
    [null, '127.0.0.1:4723', false],
    [null, 'localhost.evil.example', false],
    [null, undefined, false],
    ['https://lab.example', '10.0.0.7:4723', true],
    ['http://localhost:8080', undefined, true],
    ['http://lab.example', 'lab.example', false],
    ['https://10.0.0.7', 'localhost', false],
  ])(
    'the public URL %s and the host %s: passkeys work: %s (contract 10, options)',
    (publicUrl, host, expected) => {
      expect(passkeysWork(publicUrl, host)).toBe(expected);
    },
  );
});
