import { PROOF_SCHEMES } from '@svc/contract';
import type { ApiTokenReader } from '../ports/index.ts';
import { type Caller, credentialOfKind } from '../principal.ts';
import { NO_SCOPES } from '../scopes.ts';
import { hexOf } from '../secrets/opaque.ts';
import { isTokenSecret } from '../secrets/token-secret.ts';
import { bearerOf } from './bearer.ts';
import { keyUse } from './key-pair.ts';
import type { PresentedCredentials } from './presented.ts';
import type { CredentialScheme, CredentialUse } from './scheme.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Verifies the API key that an identity provider sends as the bearer token of its SCIM requests (contract 10.5). The
 * scheme is not part of `credentialSchemes`, so that no other route and no command accepts the key.
 */
export class ScimKeyScheme implements CredentialScheme {
  readonly kind = 'scim';
  readonly publicCode = PROOF_SCHEMES.bearer.refusal;
  readonly headers = ['authorization'];
  readonly onCommands = false;
  readonly tracksAddresses = true;
  readonly use: CredentialUse;
  readonly #apiTokens: ApiTokenReader;

  constructor(apiTokens: ApiTokenReader) {
    this.#apiTokens = apiTokens;
    this.use = keyUse(apiTokens);
  }

  secretOf({ headers }: PresentedCredentials): string | undefined {
    return bearerOf(headers.authorization);
  }

  verify(_presented: PresentedCredentials, secret: string, digest: string): Verification {
    if (!isTokenSecret(secret)) return new Rejected('key has a wrong form or checksum');
    const found = this.#apiTokens.byHash(hexOf(digest));
    if (found === undefined) return new Rejected('unknown or revoked key');
    if (found.kind !== 'scim') return new Rejected('no SCIM key');
    const { id, rateLimit, expiresAt } = found;
    return {
      accountId: found.ownerId,
      credential: credentialOfKind(this.kind, id, { rateLimit, apiTokenId: id }),
      granted: NO_SCOPES,
      expiresAt,
      grantsUntil: expiresAt,
      teamId: null,
      usedAt: found.lastUsedAt,
    };
  }

  stillGood({ credential }: Caller): boolean {
    return this.#apiTokens.byId(credential.id) !== undefined;
  }
}
