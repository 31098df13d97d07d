import { Refusal } from '../errors.ts';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { secretDigest } from '../secrets/opaque.ts';
import { pairOf } from './key-pair.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme, CredentialUse } from './scheme.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Matches an `Authorization: Basic` header whose user name begins with `svc_`. The five base64 digits and the set after
 * them stand for exactly these four bytes, so the header need not be decoded.
 */
const OURS = /^[Bb][Aa][Ss][Ii][Cc][ \t]+(?=c3ZjX[w-z0-9+/_-])/;
/** The usual spelling of what `OURS` matches, which is found without a pattern, because each command is searched. */
const USUAL = 'Basic c3ZjX';
const USUAL_SCHEME = 'Basic '.length;
/** Base64 digits that can come after `USUAL`. */
const NEXT_DIGITS = 'wxyz0123456789+/_-';
/** Maximum length of the base64 text. That of a key pair is a quarter as long. */
const MOST_DIGITS = 512;

/**
 * @returns the base64 text of an `Authorization: Basic` header whose user name is an access key, or undefined for every
 * other header, which counts as no credential (contract 15.1). The text is not decoded or verified yet.
 */
export function basicOf(header: string | string[] | undefined): string | undefined {
  const value = headerText(header);
  // The second letter tells `Basic` from `Bearer`, which most commands have.
  if (value === undefined || (value.charCodeAt(1) | 0x20) !== 0x61) return undefined;
  if (value.startsWith(USUAL)) {
    return NEXT_DIGITS.includes(value[USUAL.length] ?? ' ') ? value.slice(USUAL_SCHEME) : undefined;
  }
  const scheme = OURS.exec(value);
  return scheme === null ? undefined : value.slice(scheme[0].length);
}

/**
 * Decodes a key pair, whose access key is the user name and whose token is the password.
 * @param encoded a result of `basicOf`
 * @returns the pair in the form in which `Authenticator` reads it. It is not verified yet.
 */
export function pairOfBasic(encoded: string): PresentedCredentials | Rejected {
  if (encoded.length > MOST_DIGITS) return new Rejected('Basic: too long');
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  // Only the canonical spelling is accepted, with or without padding. Otherwise one pair could fill the cache of
  // verified credentials with its other spellings.
  const canonical = Buffer.from(text, 'latin1').toString('base64');
  if (encoded !== canonical && encoded !== canonical.replace(/=+$/, '')) {
    return new Rejected('Basic: not valid base64');
  }
  const colon = text.indexOf(':');
  const token = text.slice(colon + 1);
  if (colon < 0 || token === '') return new Rejected('Basic: half a pair');
  return pairOf({ accessKey: text.slice(0, colon), token });
}

/** @returns like `pairOfBasic`, but throws a refusal if the text contains no pair */
export function requirePairOfBasic(encoded: string): PresentedCredentials {
  const pair = pairOfBasic(encoded);
  if (pair instanceof Rejected) throw new Refusal('invalid credentials', pair.reason);
  return pair;
}

/**
 * Verifies a key pair that a WebDriver request carries as user name and password of HTTP Basic authentication (contract
 * 15.1). `pairs` verifies the decoded pair. A verified header is cached by its own digest, so that the next request with
 * it is neither decoded nor looked up.
 */
export class BasicPairScheme implements CredentialScheme {
  readonly kind: string;
  readonly publicCode: CredentialScheme['publicCode'];
  readonly headers = ['authorization'];
  readonly onCommands = true;
  readonly onlyOnCommands = true;
  readonly tracksAddresses: boolean;
  readonly use?: CredentialUse;
  readonly #pairs: CredentialScheme;

  constructor(pairs: CredentialScheme) {
    const { kind, publicCode, tracksAddresses, use } = pairs;
    this.kind = kind;
    this.publicCode = publicCode;
    this.tracksAddresses = tracksAddresses;
    if (use !== undefined) this.use = use;
    this.#pairs = pairs;
  }

  secretOf({ headers }: PresentedCredentials): string | undefined {
    return basicOf(headers.authorization);
  }

  verify(
    _presented: PresentedCredentials,
    encoded: string,
    _digest: string,
    now: number,
    from: RequestOrigin,
  ): Verification | Promise<Verification> {
    const pair = pairOfBasic(encoded);
    if (pair instanceof Rejected) return pair;
    const token = this.#pairs.secretOf(pair) as string;
    const verified = this.#pairs.verify(pair, token, secretDigest(token), now, from);
    return verified instanceof Promise
      ? verified.then((result) => this.#fitted(result, pair))
      : this.#fitted(verified, pair);
  }

  stillGood(caller: Caller, account: Account, now: number): boolean {
    return this.#pairs.stillGood(caller, account, now);
  }

  /**
   * Adds the check of the access key. It need not be repeated for a cached caller, because the access key is part of the
   * cached text, and every change of an account empties the cache.
   */
  #fitted(verified: Verification, pair: PresentedCredentials): Verification {
    if (verified instanceof Rejected) return verified;
    return {
      ...verified,
      fits: (account) => verified.fits?.(account) !== false && this.#pairs.fits?.(pair, account) !== false,
    };
  }
}
