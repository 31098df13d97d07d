import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type SignedClaims = Record<string, unknown>;

interface IssuerKey {
  readonly alg: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly jwk: JWK;
}

/** Issuer that signs tokens like a CI service, with real keys and a real discovery document. */
export class CiIssuer {
  readonly url: string;
  /** Paths of the requests that the issuer received. */
  readonly asked: string[] = [];
  /** Keys that the issuer publishes now. */
  published: JWK[];
  /**
   * Handler that may respond instead of the issuer, for example to requests for the discovery document. It returns true
   * if it has responded.
   */
  answer: ((path: string, response: ServerResponse) => boolean) | undefined;
  readonly #close: () => Promise<void>;
  #key: IssuerKey;
  #tokens = 0;

  private constructor(url: string, key: IssuerKey, close: () => Promise<void>) {
    this.url = url;
    this.#key = key;
    this.published = [key.jwk];
    this.#close = close;
  }

  static async start(alg = 'ES256'): Promise<CiIssuer> {
    const server = createServer((request, response) => issuer.#serve(request.url ?? '', response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Make the path unique, because servers remember keys by issuer and the system may reuse a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${randomUUID()}`;
    const issuer = new CiIssuer(url, await newKey(alg, 'first'), async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return issuer;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Creates a new key, which replaces the old one for signing and publishing. */
  async rotate(alg = this.#key.alg, kid = `key-${++this.#tokens}`): Promise<void> {
    this.#key = await newKey(alg, kid);
    this.published = [this.#key.jwk];
  }

  /** Signs claims, and adds the claims of every CI token. Claims with the value undefined are left out. */
  sign(claims: SignedClaims, header: Record<string, unknown> = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.url, iat: now, nbf: now, exp: now + 300, jti: `job ${++this.#tokens}` };
    const all = JSON.parse(JSON.stringify({ ...usual, ...claims }));
    const protectedHeader = { alg: this.#key.alg, kid: String(this.#key.jwk.kid), typ: 'JWT', ...header };
    return new SignJWT(all).setProtectedHeader(protectedHeader).sign(this.#key.privateKey);
  }

  #serve(whole: string, response: ServerResponse): void {
    const path = whole.slice(new URL(this.url).pathname.length);
    this.asked.push(path);
    if (this.answer?.(path, response)) return;
    const send = (body: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (path === '/.well-known/openid-configuration')
      send({ issuer: this.url, jwks_uri: `${this.url}/.well-known/jwks` });
    else if (path === '/.well-known/jwks') send({ keys: this.published });
    else response.writeHead(404).end();
  }
}

async function newKey(alg: string, kid: string): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
