import type { CallOptions, HttpResponse } from './call.ts';
import { filled, type Route } from './routes.ts';
import type { Credentials, World } from './world.ts';

/** Password changes are counted per user, so another user takes over before the limit of 10. */
const ATTEMPTS = 9;

/** Calls any route with a credential that it accepts, within limits that a whole suite does not reach. */
export class EveryRoute {
  readonly #world: World;
  readonly #key: Credentials;
  /** Ids for paths that are checked before the body. The API alone has no phones, apps or webhooks. */
  readonly #named: ReadonlyMap<string, string | undefined>;
  #signIn: Credentials;
  #calls = 0;
  #attempts = 0;

  private constructor(
    world: World,
    key: Credentials,
    signIn: Credentials,
    named: ReadonlyMap<string, string | undefined>,
  ) {
    this.#named = named;
    this.#world = world;
    this.#key = key;
    this.#signIn = signIn;
  }

  static async open(world: World): Promise<EveryRoute> {
    const key = await world.apiKey(world.root.as, { scopes: ['admin'], rateLimit: 100_000 });
    const other = await world.person('Super admin');
    const spare = await world.apiKey(world.root.as, { scopes: ['read'] });
    const team = await world.api('POST', '/teams', { as: key.as, json: { name: 'Toolsmiths' } });
    const devices = await world.api('GET', '/devices', { as: key.as });
    const udid = devices.body[0]?.udid;
    const named = new Map<string, string | undefined>([
      ['PATCH /users/:id', (await world.person()).id],
      ['PUT /users/:id/limits', (await world.person()).id],
      ['PUT /teams/:id/limits', team.body.id],
      ['PATCH /apikeys/:id', spare.id],
      ['POST /teams/:id/members', team.body.id],
      ['PATCH /leases/:id', undefined],
      ['DELETE /apps/:id', undefined],
      ['DELETE /leases/:id', undefined],
      ['DELETE /profile/tokens/:id', undefined],
      ['PATCH /profile/passkeys/:id', undefined],
      ['DELETE /profile/passkeys/:id', undefined],
      ['DELETE /users/:id/passkeys/:passkeyId', undefined],
      ['DELETE /profile/identities/:id', undefined],
      ['DELETE /users/:id/identities/:identityId', undefined],
      ['DELETE /auth/sign-ins/:id', undefined],
      ['DELETE /apikeys/:id', undefined],
      ['DELETE /users/:id', undefined],
      ['POST /users/:id/reset-link', undefined],
      ['DELETE /teams/:id', undefined],
      ['DELETE /teams/:id/members/:userId', undefined],
      ['DELETE /session/:id', undefined],
      ['DELETE /session/:id/recording', undefined],
      ['PATCH /webhook/:id', undefined],
      ['POST /webhook/:id/deliveries/:deliveryId/resend', undefined],
      ['DELETE /webhook/:id', undefined],
      ['DELETE /agents/:id', undefined],
      ['PATCH /trust-rules/:id', undefined],
      ['DELETE /trust-rules/:id', undefined],
      ['PUT /device/:udid/team', udid],
      ['POST /control/:udid/text', udid],
      ['POST /control/:udid/tap', udid],
      ['POST /control/:udid/clipboard', udid],
      ['POST /control/:udid/stream/ticket', udid],
      ['POST /control/:udid/swipe', udid],
      ['POST /control/:udid/key', udid],
      ['POST /control/:udid/adb/ticket', udid],
      ['DELETE /control/:udid/adb/uses/:id', udid],
      ['POST /control/:udid/usb/ticket', udid],
      ['DELETE /control/:udid/usb/uses/:id', udid],
      ['POST /control/:udid/watch', udid],
      ['DELETE /control/:udid/watch/:watchId', udid],
      ['DELETE /control/:udid/watch/:watchId/viewers/:viewerId', udid],
      ['POST /device/:udid/release', udid],
      ['PUT /device/:udid', udid],
      ['GET /device/:udid/cleaning', udid],
      ['GET /device/:udid/history', udid],
      ['PUT /device/:udid/maintenance', udid],
      ['DELETE /device/:udid/maintenance', udid],
      ['POST /session/:id/attach', undefined],
      ['DELETE /session/:id/attach/:attachId', undefined],
    ]);
    return new EveryRoute(world, key.as, other.as, named);
  }

  /**
   * @returns the expected error code for a bad body; unknown ids in the path are reported first (contract 1, guard
   * order)
   */
  word(route: Route, word: string): string {
    const name = `${route.method} ${route.path}`;
    return this.#named.has(name) && this.#named.get(name) === undefined ? 'not_found' : word;
  }

  async ask(
    route: Route,
    options: CallOptions & { id?: string; query?: string } = {},
  ): Promise<HttpResponse> {
    this.#calls += 1;
    const { id = this.#named.get(`${route.method} ${route.path}`), query = '', headers, ...rest } = options;
    if (/change-password|reauthenticate/.test(route.path) && ++this.#attempts % ATTEMPTS === 0) {
      this.#signIn = (await this.#world.person('Super admin')).as;
    }
    // Attempts are counted by address, so every request has a different address.
    const from = `192.0.${this.#calls >> 8}.${this.#calls & 255}`;
    return this.#world.api(route.method, filled(route, id) + query, {
      as: /sign-ins|rotate|change-password|reauthenticate|profile\/(?:passkeys|identities)|auth\/device|session-token/.test(
        route.path,
      )
        ? this.#signIn
        : this.#key,
      headers: { 'x-forwarded-for': from, ...headers },
      ...rest,
    });
  }
}
