import type { HEADERS } from '@svc/contract';

/** An access key with one of its tokens (specification 5.1). */
export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

/** Names of the pair's headers, checked against the contract's without loading it. */
const NAMES: Pick<typeof HEADERS, 'accessKey' | 'token'> = {
  accessKey: 'x-svc-access-key',
  token: 'x-svc-token',
};

export function keyPairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  for (const [name, value] of Object.entries({ accessKey, token })) {
    // Half a pair is a failing pair (contract 1), so it is not sent.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  }
  return { [NAMES.accessKey]: accessKey, [NAMES.token]: token };
}

export function bearerHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Headers that carry a credential, ours and general ones; lower case. */
export const CREDENTIAL_HEADERS = [
  NAMES.accessKey,
  NAMES.token,
  'x-svc-hub-token',
  'authorization',
  'cookie',
  'proxy-authorization',
] as const;
