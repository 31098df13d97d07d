import { decodeProtectedHeader, errors, type JSONWebKeySet } from 'jose';
import * as client from 'openid-client';
import { RemoteKeys } from '../keys/remote-keys.ts';
import {
  checkUnverified,
  SIGNATURE_ALGORITHMS,
  TOLERATED_SECONDS,
  verifyLogoutToken,
} from './logout-token.ts';
import { isIncomplete, personOf } from './person.ts';
import type { ProviderLogout, ProviderPerson } from './provider-person.ts';
import { type ProviderFetch, ProviderRequests } from './provider-requests.ts';
import { type OidcProviderOptions, type OidcTransaction, ProviderError } from './types.ts';

/** Time (ms) after which the provider's discovery document is fetched again. */
const DOCUMENT_FRESH_MS = 60 * 60_000;
/**
 * If a token names an unknown key, openid-client fetches the provider's keys again only if its cached keys are at least
 * this old (in seconds).
 */
const KEYS_SETTLE_SECONDS = 60;
/** Minimum time (ms) between two fetches of the keys because of a logout token that is signed with an unknown key. */
const UNKNOWN_PAUSE_MS = 30_000;
const LONGEST_SUBJECT = 512;
const LONGEST_TOKEN = 16 * 1024;

/** Difference (ms) that is allowed between the clocks of the provider and of this server. */
const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Client of one OpenID Connect provider (contract 10.1). The library openid-client checks the responses. This class
 * limits the duration, the response size and the hosts of the requests, and makes the checks that the library leaves to
 * its callers.
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions;
  readonly #requests: ProviderRequests;
  readonly #keys: RemoteKeys;
  #document: { readonly metadata: client.ServerMetadata; readonly at: number } | undefined;
  #discovering: Promise<client.ServerMetadata> | undefined;
  #jwksCache: ReturnType<typeof client.getJwksCache>;
  /** Whether to send the client secret in the body of token requests, because the provider refused it in the header. */
  #postsSecret = false;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
    this.#requests = new ProviderRequests(options.outbound, options.issuer, options.timeLimitMs);
    this.#keys = new RemoteKeys({
      clock: options.clock,
      fetch: () => this.#requests.step((fetch) => this.#fetchKeys(fetch)),
      unknownPauseMs: UNKNOWN_PAUSE_MS,
    });
  }

  /**
   * @param fresh whether the provider has to authenticate the person again
   * @returns the address to redirect the browser to, and the transaction to store until the browser comes back
   */
  async begin(fresh = false): Promise<{ readonly address: URL; readonly transaction: OidcTransaction }> {
    const metadata = await this.#metadata();
    const transaction = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      freshSince: fresh ? this.#options.clock.now() : null,
    };
    const address = client.buildAuthorizationUrl(this.#configuration(metadata), {
      redirect_uri: this.#options.redirectUri,
      scope: this.#options.scopes,
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(transaction.verifier),
      code_challenge_method: 'S256',
      ...(fresh ? { max_age: '0' } : {}),
    });
    return { address, transaction };
  }

  /**
   * Exchanges the authorization code, which the provider passed on in the browser's redirect, for the person's claims.
   * @param query query string of the browser's request, with or without `?`
   */
  async finish(query: string, transaction: OidcTransaction): Promise<ProviderPerson> {
    const url = new URL(this.#options.redirectUri);
    url.search = query;
    return this.#requests.step(async (fetch) => {
      const metadata = this.#freshDocument() ?? (await this.#discover(fetch));
      const tokens = await this.#redeem(metadata, fetch, url, transaction);
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined)
        throw new ProviderError('failed', 'The provider sent no ID token');
      this.#check(claims, decodeProtectedHeader(tokens.id_token).alg);
      checkAuthTime(claims.auth_time, transaction.freshSince);
      const more = await this.#moreAbout(metadata, fetch, tokens.access_token, claims);
      return personOf(this.#options.issuer, claims.sub, claims, more, this.#options.groupsClaim);
    });
  }

  /** Verifies a back-channel logout token. Rejects with a `ProviderError` if the token is not valid. */
  async verifyLogout(token: string): Promise<ProviderLogout> {
    if (token.length > LONGEST_TOKEN) throw new ProviderError('failed', 'The logout token is too long');
    const { issuer, clientId, clock } = this.#options;
    try {
      checkUnverified(token, issuer);
      return await this.#keys.verify((keys) =>
        verifyLogoutToken(token, { issuer, clientId, now: clock.now(), keys }),
      );
    } catch (error) {
      throw asProviderError(error);
    }
  }

  async #redeem(
    metadata: client.ServerMetadata,
    fetch: ProviderFetch,
    url: URL,
    { state, nonce, verifier }: OidcTransaction,
  ) {
    const grant = async () => {
      const configuration = this.#configuration(metadata, fetch);
      try {
        return await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
      } finally {
        this.#keepKeys(client.getJwksCache(configuration));
      }
    };
    try {
      return await grant();
    } catch (error) {
      const isClientRefused = error instanceof client.ResponseBodyError && error.error === 'invalid_client';
      if (!isClientRefused || this.#options.clientSecret === null || this.#postsSecret) throw error;
      this.#postsSecret = true;
      return await grant();
    }
  }

  /**
   * Caches the provider's keys for the next sign-in, dated one minute before they were fetched. openid-client fetches
   * keys again only if the cached keys are at least a minute old. With the real time, sign-ins would fail for up to a
   * minute after the provider has started to use a new key.
   */
  #keepKeys(keys: ReturnType<typeof client.getJwksCache>): void {
    if (keys === undefined || keys.uat === this.#jwksCache?.uat) return;
    this.#jwksCache = { ...keys, uat: keys.uat - KEYS_SETTLE_SECONDS };
  }

  /**
   * Checks what openid-client does not check in an ID token: that the issuer is exactly the configured one, that the
   * audience is only this client, and that `azp`, the signature algorithm and the subject are acceptable.
   */
  #check(claims: client.IDToken, algorithm: string | undefined): void {
    const { clientId, issuer } = this.#options;
    const audiences = [claims.aud].flat();
    if (claims.iss !== issuer) throw new ProviderError('failed', 'The ID token has another issuer');
    if (audiences.length !== 1 || audiences[0] !== clientId)
      throw new ProviderError('failed', 'The ID token has another audience');
    if (claims.azp !== undefined && claims.azp !== clientId)
      throw new ProviderError('failed', 'The ID token was issued to another client');
    if (algorithm === undefined || !SIGNATURE_ALGORITHMS.includes(algorithm))
      throw new ProviderError('failed', 'The ID token is not signed with a key pair');
    // Refuse unpaired surrogates (`\p{Cs}`). The database stores all of them as the same character, so that two people
    // whose subjects differ only in such a character would get the same account.
    if (claims.sub === '' || claims.sub.length > LONGEST_SUBJECT || /[\p{Cc}\p{Cs}]/u.test(claims.sub))
      throw new ProviderError('failed', 'The ID token has no usable subject');
  }

  /**
   * Returns the claims of the userinfo endpoint. Returns none if the ID token already contains all claims that this
   * server uses, or if the provider has no such endpoint.
   */
  async #moreAbout(
    metadata: client.ServerMetadata,
    fetch: ProviderFetch,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (metadata.userinfo_endpoint === undefined || !isIncomplete(claims, this.#options.groupsClaim))
      return {};
    return client.fetchUserInfo(this.#configuration(metadata, fetch), accessToken, claims.sub);
  }

  #configuration(metadata: client.ServerMetadata, fetch?: ProviderFetch): client.Configuration {
    const { clientId, clientSecret, issuer } = this.#options;
    const configuration = new client.Configuration(
      metadata,
      clientId,
      {
        ...(clientSecret === null ? {} : { client_secret: clientSecret }),
        [client.clockTolerance]: TOLERATED_SECONDS,
      },
      this.#authentication(metadata),
    );
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    if (fetch !== undefined) {
      configuration[client.customFetch] = fetch;
      if (this.#jwksCache !== undefined) client.setJwksCache(configuration, this.#jwksCache);
    }
    return configuration;
  }

  #authentication({
    token_endpoint_auth_methods_supported: methods,
  }: client.ServerMetadata): client.ClientAuth {
    const { clientSecret } = this.#options;
    if (clientSecret === null) return client.None();
    const posts = this.#postsSecret || methods?.includes('client_secret_basic') === false;
    return posts ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret);
  }

  #freshDocument(): client.ServerMetadata | undefined {
    const now = this.#options.clock.now();
    const known = this.#document;
    return known !== undefined && now >= known.at && now < known.at + DOCUMENT_FRESH_MS
      ? known.metadata
      : undefined;
  }

  /** Returns the provider's metadata. Concurrent sign-ins that find no fresh document share one request. */
  async #metadata(): Promise<client.ServerMetadata> {
    const fresh = this.#freshDocument();
    if (fresh !== undefined) return fresh;
    this.#discovering ??= this.#requests
      .step((fetch) => this.#discover(fetch))
      .finally(() => {
        this.#discovering = undefined;
      });
    return this.#discovering;
  }

  async #discover(fetch: ProviderFetch): Promise<client.ServerMetadata> {
    const { issuer, clientId, clock } = this.#options;
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
      [client.customFetch]: fetch,
      ...(issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}),
    });
    const metadata = found.serverMetadata();
    // Compare the issuer exactly. openid-client compares parsed URLs, which accepts other spellings of the issuer, and
    // for some providers it does not compare at all.
    if (metadata.issuer !== issuer)
      throw new ProviderError('failed', `The provider names another issuer than SVC_OIDC_ISSUER`);
    const { authorization_endpoint: authorization = '' } = metadata;
    if (!/^https:\/\//i.test(authorization) && !issuer.startsWith('http:'))
      throw new ProviderError('failed', 'The authorization endpoint of the provider has no https:// address');
    if (!/^https?:\/\//i.test(authorization))
      throw new ProviderError('failed', 'The provider has no authorization endpoint');
    this.#document = { metadata, at: clock.now() };
    return metadata;
  }

  async #fetchKeys(fetch: ProviderFetch): Promise<JSONWebKeySet> {
    const known = this.#freshDocument() ?? (await this.#discover(fetch));
    if (known.jwks_uri === undefined) throw new ProviderError('failed', 'The provider publishes no keys');
    const response = await fetch(known.jwks_uri, { headers: { accept: 'application/json' } });
    if (response.status !== 200)
      throw new ProviderError('failed', `The provider answered ${response.status} for its keys`);
    return (await response.json()) as JSONWebKeySet;
  }
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const code = error instanceof errors.JOSEError ? error.code : 'malformed';
  return new ProviderError('failed', `The logout token is not valid (${code})`);
}

/**
 * Throws a `ProviderError` if the person had to authenticate again and did not. A provider may ignore `max_age`, so its
 * `auth_time` is checked.
 */
function checkAuthTime(authTime: unknown, freshSince: number | null): void {
  if (freshSince === null) return;
  if (typeof authTime !== 'number' || authTime * 1000 < freshSince - CLOCK_TOLERANCE_MS)
    throw new ProviderError('failed', 'The provider did not authenticate the person again');
}
