import { HEADERS, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import type { ApiTokenReader } from '../ports/index.ts';
import { type Account, type Caller, type Credential, credentialOfKind } from '../principal.ts';
import { hexOf } from '../secrets/opaque.ts';
import { isTokenSecret } from '../secrets/token-secret.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme, CredentialUse } from './scheme.ts';
import { Rejected, type Verification } from './verification.ts';

/** Precision of the last use of a key. It is only displayed, and each update has to be written. */
const NOTE_EVERY_MS = 60_000;

/** Access key and token. Both are required, and the token must belong to the user whom the access key names. */
export class KeyPairScheme implements CredentialScheme {
  readonly kind = 'key';
  readonly publicCode = PROOF_SCHEMES.key.refusal;
  readonly headers = headersOfProof('key');
  readonly onCommands = true;
  readonly tracksAddresses = true;
  readonly use: CredentialUse;
  readonly #apiTokens: ApiTokenReader;

  constructor(apiTokens: ApiTokenReader) {
    this.#apiTokens = apiTokens;
    this.use = { everyMs: NOTE_EVERY_MS, extends: false, note: (id, now) => apiTokens.touch(id, now) };
  }

  /** Half a pair fails, and no other credential is tried (contract 1). */
  secretOf({ headers }: PresentedCredentials): string | undefined {
    const token = headerText(headers[HEADERS.token]);
    return token === undefined && headers[HEADERS.accessKey] !== undefined ? '' : token;
  }

  verify({ headers }: PresentedCredentials, token: string, digest: string): Verification {
    if (headers[HEADERS.accessKey] === undefined || headers[HEADERS.token] === undefined) {
      return new Rejected('half a pair');
    }
    if (!isTokenSecret(token)) return new Rejected('token has a wrong form or checksum');
    const found = this.#apiTokens.byHash(hexOf(digest));
    if (found === undefined) return new Rejected('unknown or revoked token');
    return {
      accountId: found.ownerId,
      credential: keyCredential(found.id, found.rateLimit),
      granted: found.scopes,
      expiresAt: found.expiresAt,
      grantsUntil: found.expiresAt,
      teamId: found.teamId,
      usedAt: found.lastUsedAt,
    };
  }

  /** A plain comparison, because the access key is not secret, and the token has been verified by now. */
  fits({ headers }: PresentedCredentials, account: Account): boolean {
    return account.accessKey === headerText(headers[HEADERS.accessKey]);
  }

  liftsOriginCheck({ headers }: PresentedCredentials): boolean {
    return headers[HEADERS.accessKey] !== undefined;
  }

  stillGood({ account: then, credential }: Caller, account: Account): boolean {
    return account.accessKey === then.accessKey && this.#apiTokens.byId(credential.id) !== undefined;
  }
}

/** @returns the pair of a test session's capabilities as presented credentials */
export function pairOf({ accessKey, token }: { accessKey: string; token: string }): PresentedCredentials {
  return { headers: { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token }, cookie: undefined };
}

/** A key has its own rate limit (specification 8.1.2). */
export function keyCredential(id: string, rateLimit: number): Credential {
  return credentialOfKind('key', id, { rateLimit, apiTokenId: id, opensDashboard: true });
}
