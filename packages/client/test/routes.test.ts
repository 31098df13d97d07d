import { API_PREFIX, type Route, routes } from '@svc/contract';
import { describe, expect, test } from 'vitest';
import { type CallRoute, SvcClient, SvcError } from '../src/index.ts';
import { ROUTE_LINES } from '../src/wire.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * Names and definitions of all routes. The types leave out the fields that each route's schemas require, because this
 * test only checks that every route can be called.
 */
const everyRoute = Object.entries<Route>(routes).map(([name, route]) => ({ name: name as CallRoute, route }));

function client(answer: () => Response) {
  const asked: Asked[] = [];
  const fetching = (async (url: string, { method, body }: RequestInit) => {
    asked.push({ method: String(method), path: url.slice('http://lab'.length), body });
    return answer();
  }) as unknown as typeof fetch;
  return { asked, client: new SvcClient({ url: 'http://lab', fetch: fetching }) };
}

const inPath = (path: string) => path.replace(/:\w+/g, 'x%20y');
const params = new Proxy({}, { get: () => 'x y' }) as Record<string, string>;

describe('every route of the contract', () => {
  test.for(everyRoute)('$name is called by its name (contract 2)', async ({ name, route }) => {
    const { asked, client: lab } = client(() => new Response('{}'));
    if (route.webSocket) {
      const url = (lab.socketUrl as (name: string, input: object) => string)(name, { params });
      expect(url).toBe(`ws://lab${API_PREFIX}${inPath(route.path)}`);
      return;
    }
    const input = { params, query: { after: '1', gone: undefined } };
    await (lab.fetch as (name: string, input: object) => Promise<Response>)(name, input);
    const path = `${API_PREFIX}${inPath(route.path)}?after=1`;
    expect(asked).toEqual([{ method: route.method, path, body: undefined }]);
  });

  test('answers are read as what the route sends (contract 2)', async () => {
    const ofKind = (kind: string) => everyRoute.filter(({ name }) => ROUTE_LINES[name].answer === kind);
    const names = (kind: string) => ofKind(kind).map(({ name }) => name);
    expect(names('text')).toEqual(['metrics', 'sessionReport']);
    expect(names('bytes')).toEqual([
      'takeScreenshot',
      'exportUsage',
      'recordingChunk',
      'recordingPicture',
      'downloadApp',
      'exportAudit',
    ]);
    expect(names('stream')).toEqual(['streamMjpeg', 'streamWatchLink']);
    for (const { route } of ofKind('none')) {
      // A route that responds with a redirect has only the status 302, because a browser opens it and not the client.
      const statuses = route.webSocket ? ['101'] : route.responses[302] === null ? ['302'] : ['204'];
      expect(Object.keys(route.responses)).toEqual(statuses);
    }
    const { client: lab } = client(() => new Response('svc_up 1\n'));
    expect(await lab.call('metrics')).toBe('svc_up 1\n');
    const bytes = await lab.call('downloadApp', { params: { id: 'a' } });
    expect(bytes).toEqual(new TextEncoder().encode('svc_up 1\n'));
  });

  test('a body that breaks off is an unexpected answer (contract 1)', async () => {
    const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) });
    const { client: lab } = client(() => new Response(broken));
    const error = await lab.call('metrics').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200 });
  });
});
