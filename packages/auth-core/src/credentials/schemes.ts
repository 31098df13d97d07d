import type { Stores } from '../ports/index.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { BasicPairScheme } from './basic-pair.ts';
import { BearerScheme } from './bearer.ts';
import { KeyPairScheme } from './key-pair.ts';
import type { CredentialScheme } from './scheme.ts';
import { SessionTokenScheme } from './session-token.ts';
import { SignInScheme } from './sign-in.ts';

interface SchemeOptions {
  readonly stores: Pick<Stores, 'apiTokens' | 'signIns' | 'revocations'>;
  readonly signer: TokenSigner;
  readonly signInTtlMs: number;
}

/**
 * Creates the schemes of all kinds of credentials, strongest first. If a request has several credentials, the first
 * scheme in this order decides alone (specification 5.1.1).
 */
export function credentialSchemes({ stores, signer, signInTtlMs }: SchemeOptions): CredentialScheme[] {
  const pairs = new KeyPairScheme(stores.apiTokens);
  return [
    pairs,
    new BasicPairScheme(pairs),
    new BearerScheme(signer, stores.revocations),
    new SignInScheme(stores, signInTtlMs),
    new SessionTokenScheme(signer, stores.revocations),
  ];
}
