import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll } from 'vitest';

const CLIENT_ID = 'svc-lab';
export const CLIENT_SECRET = 'a client secret that no log may contain';

type Claims = Readonly<Record<string, unknown>>;

/** Ways in which the provider deviates from an honest provider. */
export interface Tricks {
  /** Changed members of the discovery document; undefined removes a member. */
  readonly document?: Claims;
  /** Changed claims of the ID token; undefined removes a claim. */
  readonly claims?: Claims;
  /** Function that signs the ID token. By default, the provider's RS256 key signs it. */
  readonly sign?: (claims: JWTPayload) => Promise<string> | string;
  /** Claims that only the userinfo endpoint has. */
  readonly userInfo?: Claims;
  /** Handlers that respond instead of the provider, by path. */
  readonly instead?: Readonly<Record<string, (req: IncomingMessage, res: ServerResponse) => void>>;
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly claims: JWTPayload;
}

/** OpenID provider for tests. A test can change each of its responses. */
export class ScriptedProvider {
  readonly #grants = new Map<string, Grant>();
  #keys!: Awaited<ReturnType<typeof generateKeyPair>>;
  #jwk!: Claims & { readonly kid: string };
  #url = '';
  tricks: Tricks = {};
  /** Paths that were requested, in order. */
  readonly requested: string[] = [];

  private constructor() {}

  /** Starts a provider, which stops after the tests of the file. */
  static async start(): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider();
    await provider.changeKey();
    const server = createServer((req, res) => void provider.#answer(req, res));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    provider.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });
    return provider;
  }

  /** Replaces the key with which the provider signs. The old key is not published any more. */
  async changeKey(): Promise<void> {
    const keys = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' };
    this.#keys = keys;
    this.#jwk = jwk;
  }

  get url(): string {
    return this.#url;
  }

  get publicJwk(): Claims {
    return this.#jwk;
  }

  /** Environment variables for a server that uses this provider. */
  get env(): Record<string, string> {
    return {
      SVC_OIDC_ISSUER: this.#url,
      SVC_OIDC_CLIENT_ID: CLIENT_ID,
      SVC_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      SVC_OIDC_NAME: 'Lab SSO',
    };
  }

  /**
   * Signs a person in at the provider, as the provider's own pages would do.
   * @returns the query string with which the provider redirects the browser back
   */
  authorize(address: string, person: Claims): URLSearchParams {
    const asked = new URL(address).searchParams;
    const code = randomUUID();
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.#url,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: asked.get('nonce') ?? undefined,
      ...person,
    };
    this.#grants.set(code, {
      challenge: asked.get('code_challenge') ?? '',
      redirectUri: asked.get('redirect_uri') ?? '',
      claims,
    });
    return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.#url });
  }

  /** Signs arbitrary claims with the provider's key. */
  sign(claims: JWTPayload, header: Claims = {}): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: this.#jwk.kid, ...header })
      .sign(this.#keys.privateKey);
  }

  /** Signs a logout token. Claims with the value undefined are left out. */
  logoutToken(claims: Claims, header: Claims = { typ: 'logout+jwt' }): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const all = { iss: this.#url, aud: CLIENT_ID, iat: now, exp: now + 120, jti: randomUUID(), events };
    return this.sign(present({ ...all, ...claims }), header);
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '', this.#url).pathname;
    this.requested.push(path);
    const instead = this.tricks.instead?.[path];
    if (instead !== undefined) return instead(req, res);
    if (path === '/.well-known/openid-configuration') return json(res, this.#document());
    if (path === '/jwks') return json(res, { keys: [this.#jwk] });
    if (path === '/token') return json(res, await this.#token(req, await bodyOf(req)));
    if (path === '/userinfo') return json(res, this.#userInfo());
    res.writeHead(404).end();
  }

  #document(): Claims {
    return present({
      issuer: this.#url,
      authorization_endpoint: `${this.#url}/authorize`,
      token_endpoint: `${this.#url}/token`,
      jwks_uri: `${this.#url}/jwks`,
      userinfo_endpoint: `${this.#url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.tricks.document,
    });
  }

  async #token(req: IncomingMessage, form: URLSearchParams): Promise<Claims> {
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const basic = Buffer.from((req.headers.authorization ?? '').slice('Basic '.length), 'base64').toString();
    const secret = decodeURIComponent((basic.split(':')[1] ?? '').replaceAll('+', ' '));
    if (secret !== CLIENT_SECRET) return { error: 'invalid_client' };
    if (
      grant === undefined ||
      grant.challenge !== challenge ||
      grant.redirectUri !== form.get('redirect_uri')
    )
      return { error: 'invalid_grant' };
    const claims = present({ ...grant.claims, ...this.tricks.claims });
    const id_token = await (this.tricks.sign ?? ((payload) => this.sign(payload)))(claims);
    this.#lastSubject = String(grant.claims.sub);
    return { access_token: 'an access token', token_type: 'Bearer', expires_in: 300, id_token };
  }

  #lastSubject = '';

  #userInfo(): Claims {
    return { sub: this.#lastSubject, ...this.tricks.userInfo };
  }
}

/** @returns an unsigned token, which no server may accept */
export function unsigned(claims: JWTPayload): string {
  return new UnsecuredJWT(claims).encode();
}

function present(claims: Claims): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

function json(res: ServerResponse, body: Claims): void {
  res.writeHead(body.error === undefined ? 200 : 400, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = [];
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString());
}
