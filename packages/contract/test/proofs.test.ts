import { describe, expect, it } from 'vitest';
import { acceptedProof, alsoAccepting, DEVICES, isPublic, PUBLIC } from '../src/access.ts';
import { headersOfProof, PROOF_HEADERS, PROOF_HEADERS_OF_PAGES, PROOF_SCHEMES } from '../src/proofs.ts';

describe('headers of proofs', () => {
  it('no header that carries a proof is forwarded (contract 8.2)', () => {
    const names = Object.keys(PROOF_SCHEMES) as (keyof typeof PROOF_SCHEMES)[];
    expect(PROOF_HEADERS.toSorted()).toEqual([...new Set(names.flatMap(headersOfProof))].toSorted());
    const specified = ['authorization', 'cookie', 'x-svc-access-key', 'x-svc-hub-token', 'x-svc-token'];
    expect(PROOF_HEADERS).toEqual(expect.arrayContaining(specified));
  });

  it('a page of another origin sends the headers of clients, not those of hubs (specification 5.6.3)', () => {
    const specified = ['authorization', 'x-svc-access-key', 'x-svc-token'];
    expect(PROOF_HEADERS_OF_PAGES).toEqual(expect.arrayContaining(specified));
    for (const header of ['cookie', ...headersOfProof('hub-token')])
      expect(PROOF_HEADERS_OF_PAGES).not.toContain(header);
  });

  it('a proof in a cookie has the header of cookies, one in the query has none (specification 5.1, 5.8)', () => {
    expect(headersOfProof('sign-in')).toEqual(['cookie']);
    expect(headersOfProof('ticket')).toEqual([]);
  });
});

describe('access', () => {
  it('a further proof changes neither role nor scope nor who may call on a node (contract 8.3)', () => {
    const access = alsoAccepting(DEVICES, { by: 'hub-token', action: 'tap' });
    expect(access).toMatchObject({ role: 'Member', scope: 'devices', atNode: 'hub' });
    expect(acceptedProof(access, 'hub-token')).toEqual({ by: 'hub-token', action: 'tap' });
    expect(acceptedProof(access, 'credential')).toEqual(acceptedProof(DEVICES, 'credential'));
    expect(acceptedProof(DEVICES, 'hub-token')).toBeUndefined();
  });

  it('only a route that accepts no proof is public (contract 1)', () => {
    expect([isPublic(PUBLIC), isPublic(DEVICES)]).toEqual([true, false]);
  });
});
