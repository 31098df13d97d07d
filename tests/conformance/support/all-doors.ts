import type { Answer, CallOptions } from './call.ts';
import { filled, type Route } from './routes.ts';
import type { Credentials, World } from './world.ts';

/** A password change counts for its user; somebody else asks before the limit of 10 is reached. */
const ATTEMPTS = 9;

/** Calls any route with a credential it lets in and limits that a whole suite does not reach. */
export class AllDoors {
  readonly #world: World;
  readonly #key: Credentials;
  #signIn: Credentials;
  #calls = 0;
  #attempts = 0;

  private constructor(world: World, key: Credentials, signIn: Credentials) {
    this.#world = world;
    this.#key = key;
    this.#signIn = signIn;
  }

  static async open(world: World): Promise<AllDoors> {
    const key = await world.apiKey(world.root.as, { scopes: ['admin'], rateLimit: 100_000 });
    const other = await world.person('Super admin');
    return new AllDoors(world, key.as, other.as);
  }

  async ask(route: Route, options: CallOptions & { id?: string; query?: string } = {}): Promise<Answer> {
    this.#calls += 1;
    const { id, query = '', headers, ...rest } = options;
    if (route.path.endsWith('change-password') && ++this.#attempts % ATTEMPTS === 0) {
      this.#signIn = (await this.#world.person('Super admin')).as;
    }
    // Attempts are counted by address, so every request comes from another one.
    const from = `192.0.${this.#calls >> 8}.${this.#calls & 255}`;
    return this.#world.api(route.method, filled(route, id) + query, {
      as: /sign-ins|rotate|change-password/.test(route.path) ? this.#signIn : this.#key,
      headers: { 'x-forwarded-for': from, ...headers },
      ...rest,
    });
  }
}
