import { HEADERS } from '@svc/contract';

export interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

/** Returns the headers that authenticate a request to another svc server: the access key and the API token. */
export function pairHeaders({ accessKey, token }: KeyPair): Record<string, string> {
  return { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token };
}
