import { HEADERS } from '@svc/contract';

export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

/** Headers that carry a key pair to another svc server. */
export function pairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}
