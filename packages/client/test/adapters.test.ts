import { describe, expect, test } from 'vitest';
import { commandHeaders, webdriverioOptions, withCommandHeaders } from '../src/index.ts';

const PAIR = { accessKey: 'svc_k', token: 'svct_t' };

function bearerSource() {
  let count = 0;
  return commandHeaders({
    issue: async () => {
      count += 1;
      // Every token except the first has already expired when it arrives, so every `ready` requests a new one.
      return { token: `t${count}`, expiresIn: count === 1 ? 60 : 0 };
    },
  });
}

describe('webdriverioOptions', () => {
  test('headers answer what is good when they are read (spec 5.7.2, 5.7.7)', async () => {
    const values = { authorization: 'Bearer one' };
    const source = { ...commandHeaders(PAIR), names: ['authorization'], current: () => ({ ...values }) };
    const { headers } = webdriverioOptions(source);
    expect({ ...headers }).toEqual({ authorization: 'Bearer one' });
    values.authorization = 'Bearer two';
    expect({ ...headers }).toEqual({ authorization: 'Bearer two' });
    expect(Object.keys(headers)).toEqual(['authorization']);
  });

  test('transformRequest replaces what a copied configuration kept (spec 5.7.2)', () => {
    const { transformRequest } = webdriverioOptions(commandHeaders(PAIR));
    const request = { method: 'GET', headers: new Headers({ 'x-svc-token': 'old', accept: 'json' }) };
    const headers = new Headers(transformRequest(request).headers);
    expect(Object.fromEntries(headers)).toEqual({
      accept: 'json',
      'x-svc-access-key': 'svc_k',
      'x-svc-token': 'svct_t',
    });
    expect(request.headers.get('x-svc-token')).toBe('old');
  });

  test('webdriverioOptions marks the create, and nothing else, as not to be logged (spec 5.5.2)', () => {
    const { transformRequest } = webdriverioOptions(commandHeaders(PAIR));
    const marked = (method: string, body?: string) =>
      new Headers(transformRequest({ method, ...(body === undefined ? {} : { body }) }).headers).has(
        'x-auto-is-sensitive',
      );
    expect(marked('POST', '{"capabilities":{"alwaysMatch":{}}}')).toBe(true);
    expect(marked('POST', '{"using":"id","value":"x"}')).toBe(false);
    expect(marked('GET')).toBe(false);
  });
});

describe('withCommandHeaders', () => {
  class Base {
    readonly url: string;
    readonly sent: Record<string, string>[] = [];
    constructor(url: string) {
      this.url = url;
    }
    async send(request: { headers: Map<string, string> }) {
      this.sent.push(Object.fromEntries(request.headers));
      return 'answer';
    }
  }
  const command = (path: string) => ({ method: 'POST', path, headers: new Map([['Accept', 'json']]) });

  test('withCommandHeaders sends the headers with every command, through the class given (spec 5.7.2)', async () => {
    const Client = withCommandHeaders(Base, commandHeaders(PAIR));
    const client = new Client('http://lab');
    expect(client.url).toBe('http://lab');
    expect(await client.send(command('/session/1/url'))).toBe('answer');
    expect(client.sent).toEqual([{ Accept: 'json', 'x-svc-access-key': 'svc_k', 'x-svc-token': 'svct_t' }]);
  });

  test('withCommandHeaders waits for a token before the first command and marks the create (spec 5.3, 5.5.2)', async () => {
    const client = new (withCommandHeaders(Base, bearerSource()))('http://lab');
    await client.send(command('/session'));
    expect(client.sent[0]).toMatchObject({ authorization: 'Bearer t1', 'x-auto-is-sensitive': 'true' });
  });
});
