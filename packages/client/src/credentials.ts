import { HEADERS, PROOF_HEADERS } from './wire.ts';

/** An access key and one of its tokens (specification 5.1). */
export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

export function keyPairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  for (const [name, value] of Object.entries({ accessKey, token })) {
    // An incomplete pair would be refused (contract 1), so it is not sent.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  }
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}

export function bearerHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Headers that carry a credential, both those of svc and general ones, in lower case. */
export const CREDENTIAL_HEADERS: readonly string[] = [...PROOF_HEADERS, 'proxy-authorization'];

/** Adds a field to the object that is not printed with it and not copied by a spread. */
export function withUnprinted<T extends object, K extends string, V>(
  object: T,
  name: K,
  value: V,
): T & { readonly [Name in K]: V } {
  return Object.defineProperty(object, name, { value }) as T & { readonly [Name in K]: V };
}
