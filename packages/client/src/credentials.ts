import { HEADERS } from './wire.ts';

/** An access key with one of its tokens (specification 5.1). */
export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

export function keyPairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  for (const [name, value] of Object.entries({ accessKey, token })) {
    // Half a pair is a failing pair (contract 1), so it is not sent.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  }
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}

export function bearerHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Headers that carry a credential, ours and general ones; lower case. */
export const CREDENTIAL_HEADERS = [
  HEADERS.accessKey,
  HEADERS.token,
  HEADERS.hubToken,
  'authorization',
  'cookie',
  'proxy-authorization',
] as const;

/** The object with one more field, which is not printed with it and not copied by a spread. */
export function withUnprinted<T extends object, K extends string, V>(
  object: T,
  name: K,
  value: V,
): T & { readonly [Name in K]: V } {
  return Object.defineProperty(object, name, { value }) as T & { readonly [Name in K]: V };
}
