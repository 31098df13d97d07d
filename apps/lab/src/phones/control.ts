import { createServer, type Server } from 'node:http';
import type { PhoneState } from './android/android-phone.ts';
import type { AndroidPhones } from './android/android-phones.ts';
import type { IPhones } from './apple/iphones.ts';

/** Actions by path, with the parameters of the query. */
type Actions = Readonly<Record<string, (query: URLSearchParams) => unknown>>;

const RESTART_MS = 500;

/**
 * Starts an HTTP server on loopback through which a person or another program controls scripted phones:
 * `curl -X POST 'http://127.0.0.1:<port>/unplug?serial=39071FDJH0014'`. `GET /` lists the actions and the phones.
 */
export async function startPhoneControl(
  android: AndroidPhones,
  apple: IPhones,
): Promise<{ readonly url: string; readonly server: Server }> {
  const actions = actionsOf(android, apple);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const action = request.method === 'POST' ? actions[pathname.slice(1)] : undefined;
    response.setHeader('content-type', 'application/json');
    try {
      if (request.method === 'POST' && action === undefined)
        throw new Error(`There is no action ${pathname}`);
      await action?.(searchParams);
      response.end(
        `${JSON.stringify({ actions: Object.keys(actions), ...stateOf(android, apple) }, null, 2)}\n`,
      );
    } catch (error) {
      response.statusCode = 400;
      response.end(`${JSON.stringify({ error: String(error) })}\n`);
    }
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, server };
}

function actionsOf(android: AndroidPhones, apple: IPhones): Actions {
  const needed = (query: URLSearchParams, name: string) => {
    const value = query.get(name);
    if (value === null) throw new Error(`The parameter ${name} is missing`);
    return value;
  };
  const serial = (query: URLSearchParams) => needed(query, 'serial');
  const isApple = (query: URLSearchParams) => apple.all.some(({ udid }) => udid === serial(query));
  const phone = (query: URLSearchParams) => android.phone(serial(query));
  return {
    plug: (query) =>
      isApple(query)
        ? apple.plug(serial(query))
        : android.plug(serial(query), (query.get('state') ?? 'device') as PhoneState),
    unplug: (query) => (isApple(query) ? apple.unplug(serial(query)) : android.unplug(serial(query))),
    state: (query) => android.adb.setState(serial(query), needed(query, 'to') as PhoneState),
    crash: (query) => phone(query).crash(),
    slow: (query) => {
      const ms = needed(query, 'ms');
      phone(query).startMs = ms === 'never' ? null : Number(ms);
    },
    log: (query) =>
      isApple(query)
        ? apple.phone(serial(query)).log('App', needed(query, 'text'))
        : phone(query).log('I', 'App', needed(query, 'text')),
    battery: (query) => {
      phone(query).battery.level = Number(needed(query, 'level'));
    },
    storage: (query) => {
      phone(query).storage.used = Number(needed(query, 'usedKib'));
    },
    restart: async (query) => {
      await android.adb.stop();
      await new Promise((over) => setTimeout(over, Number(query.get('ms') ?? RESTART_MS)));
      await android.adb.start();
    },
  };
}

function stateOf(android: AndroidPhones, apple: IPhones): object {
  return {
    adb: { port: android.adb.port, forwards: android.adb.forwards().trim().split('\n') },
    android: android.all.map((phone) => ({
      serial: phone.serial,
      version: phone.facts.release,
      isPlugged: android.adb.isPlugged(phone.serial),
      sessions: phone.uiAutomator.sessions.size,
      typed: phone.typed,
      inputs: phone.inputs,
      packages: [...phone.packages.keys()],
      files: phone.files.paths,
      unknown: phone.unknown,
    })),
    apple: apple.all.map(({ udid, facts, agent }) => ({
      udid,
      version: facts.osVersion,
      hasSession: agent.session !== null,
      typed: agent.typed,
    })),
  };
}
