import { HEADERS, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import type { ApiTokenReader } from '../ports/index.ts';
import { type Account, type Caller, type Credential, credentialOfKind } from '../principal.ts';
import { hexOf } from '../secrets/opaque.ts';
import { isTokenSecret } from '../secrets/token-secret.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme, CredentialUse } from './scheme.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Minimum time (ms) between two updates of a key's last use. The time is only displayed, and each update costs a write.
 */
const NOTE_EVERY_MS = 60_000;

/** Returns how uses of a key are recorded. A use does not extend the lifetime of the key. */
export function keyUse(apiTokens: ApiTokenReader): CredentialUse {
  return { everyMs: NOTE_EVERY_MS, extends: false, note: (id, now) => apiTokens.touch(id, now) };
}

/**
 * Verifies a key pair, which is an access key and a token. Both are required, and the token must belong to the user
 * whom the access key names.
 */
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
    this.use = keyUse(apiTokens);
  }

  /**
   * @returns the token, an empty string if only the access key is present, or undefined if neither is present. The
   * empty string makes the request fail without trying other credentials, because half a pair is an error (contract 1).
   */
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
    if (found.kind === 'scim') return new Rejected('a SCIM key, which only SCIM accepts');
    return {
      accountId: found.ownerId,
      credential: keyCredential(found.id, found.rateLimit, found.rule),
      granted: found.scopes,
      expiresAt: found.expiresAt,
      grantsUntil: found.expiresAt,
      teamId: found.teamId,
      usedAt: found.lastUsedAt,
    };
  }

  /**
   * @returns whether the access key in the request belongs to the account. The comparison need not take constant time,
   * because an access key is not secret and the token has already been verified.
   */
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

/**
 * @returns the access key and token from a session's capabilities, in the form in which `Authenticator` reads them
 */
export function pairOf({ accessKey, token }: { accessKey: string; token: string }): PresentedCredentials {
  return { headers: { [HEADERS.accessKey]: accessKey, [HEADERS.token]: token }, cookie: undefined };
}

/** Creates the credential of an API key or Profile token. Each of them has its own rate limit (specification 8.1.2). */
export function keyCredential(id: string, rateLimit: number, rule: Credential['rule'] = null): Credential {
  return credentialOfKind('key', id, { rateLimit, apiTokenId: id, opensDashboard: true, rule });
}
