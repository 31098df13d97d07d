import { HEADERS, PROOF_HEADERS } from './wire.ts';

/** Key pair: an access key and one of the tokens that belong to this key (specification 5.1). */
export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

export function keyPairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  for (const [name, value] of Object.entries({ accessKey, token })) {
    // The service would refuse a key pair with a missing part (contract 1), so throw before sending it.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  }
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}

export function bearerHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Headers, in lower case, that carry a credential: the ones of svc, and general ones such as `authorization`. */
export const CREDENTIAL_HEADERS: readonly string[] = [...PROOF_HEADERS, 'proxy-authorization'];

/**
 * Adds a secret field to an object as a non-enumerable property, so that printing the object does not show the field
 * and a spread does not copy it.
 */
export function withUnprinted<T extends object, K extends string, V>(
  object: T,
  name: K,
  value: V,
): T & { readonly [Name in K]: V } {
  return Object.defineProperty(object, name, { value }) as T & { readonly [Name in K]: V };
}
