import { HEADERS } from '@svc/contract';

export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

/** Returns the headers that send a key pair to another svc server. */
export function pairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}
