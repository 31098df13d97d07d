import { beforeEach, describe, expect, it } from 'vitest';
import { LOG_BOUNDS, TooLarge } from '../src/command-log/entry.ts';
import { DAY_MS, newLog, seen } from './logged.ts';

let { store, log, told, now, rowOf } = newLog();

beforeEach(() => {
  ({ store, log, told, now, rowOf } = newLog());
});

describe('a command in the log', () => {
  it('a command in the log has method, path, status, times, body and response (contract 2 /sessions)', () => {
    expect(rowOf({ route: '/url', body: { url: 'x' }, response: { value: null }, at: 42 })).toEqual({
      seq: 1,
      at: 42,
      method: 'POST',
      path: '/wd/hub/session/s1/url',
      status: 200,
      durationMs: 3,
      body: { url: 'x' },
      response: { value: null },
      name: 'setUrl',
      summary: 'x',
    });
  });

  it('a logged command without body and answer has neither, and an answer that is not JSON is stored as text', () => {
    expect(rowOf({ method: 'GET' })).toMatchObject({ body: null, response: null });
    expect(rowOf({ body: {}, response: '{cut' })).toMatchObject({ body: null, response: '{cut' });
  });

  it('a command that cannot be read does not displace another from the log', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    log.add(seen({ session: 'b', body: { x: 1 } }));
    log.add({ ...seen({ session: 'a' }), body: { deep } });
    log.add({
      ...seen({ session: 'a' }),
      get body(): unknown {
        throw new Error('not there');
      },
    });
    log.add(seen({ session: 'b', body: { x: 2 } }));
    expect([...log.read('b')].map(({ body }) => body)).toEqual([{ x: 1 }, { x: 2 }]);
    const [first, second] = [...log.read('a')].map(({ body }) => JSON.stringify(body));
    expect(first).toMatch(/^\{"deep":\[{31}"\*\*REDACTED\*\*"\]{31}\}$/);
    expect(second).toBe('"(could not be kept)"');
    expect(told).toEqual([]);
  });

  it('a command of one session is not in the log of another', () => {
    rowOf({ session: 'a' });
    expect(rowOf({ session: 'b' }).seq).toBe(1);
    expect([...log.read('a')]).toHaveLength(1);
  });
});

describe('the error of a script', () => {
  const script = "const pin = 'hunter2-of-ana';\nreturn document.title;";
  const errorOf = (message: string, route = '/execute/sync', body: object = { script, args: [] }) =>
    JSON.stringify(
      rowOf({
        route,
        body,
        status: 500,
        response: { value: { error: 'javascript error', message, stacktrace: `at ${message}` } },
      }),
    );

  it.each([
    ['the whole script', `Error in ${script}`],
    ['its beginning', `unexpected token: ${script.slice(0, 30)}...`],
    ['a line of it', "2: 'hunter2-of-ana'"],
    ['it with escaped quotes', JSON.stringify(script)],
  ])('the error of a script does not contain the script that the log hides: %s', (_, message) => {
    const row = errorOf(message);
    expect(row).not.toContain('hunter2');
    expect(row).toContain('javascript error');
  });

  it('the error of a script is kept if it does not quote the script, and for the names of commands', () => {
    expect(errorOf('x is not a function')).toContain('x is not a function');
    const body = { script: 'mobile: tapSomething', args: [] };
    expect(errorOf('Unknown mobile: tapSomething', '/execute/sync', body)).toContain(
      'Unknown mobile: tapSomething',
    );
  });
});

describe('a page of the log', () => {
  it('a page of the log decodes only the chunks that contain its commands (contract 2)', () => {
    for (let count = 0; count < 100; count++) log.add(seen({ body: { count } }));
    log.flush();
    const read: number[] = [];
    const entriesAt = store.entriesAt.bind(store);
    store.entriesAt = (sessionId, seq) => {
      read.push(seq);
      return entriesAt(sessionId, seq);
    };
    const numbers = (after: number, limit: number) => [...log.read('s1', after, limit)].map(({ seq }) => seq);
    expect(numbers(30, 3)).toEqual([31, 32, 33]);
    expect(read).toEqual([26]);
    expect(numbers(49, 2)).toEqual([50, 51]);
    expect(read).toEqual([26, 26, 51]);
    expect(numbers(100, 5)).toEqual([]);
    expect(read).toEqual([26, 26, 51]);
  });

  it('a page of the log skips commands that were removed while it was read', () => {
    for (let count = 0; count < 60; count++) log.add(seen({ body: { count } }));
    const rows = log.read('s1');
    expect(rows.next().value).toMatchObject({ seq: 1 });
    const entriesAt = store.entriesAt.bind(store);
    store.entriesAt = (sessionId, seq) => (seq === 26 ? undefined : entriesAt(sessionId, seq));
    expect([...rows].map(({ seq }) => seq)).toEqual([
      ...Array.from({ length: 24 }, (_, index) => 2 + index),
      ...Array.from({ length: 10 }, (_, index) => 51 + index),
    ]);
  });
});

describe('bounds', () => {
  it('screenshots and long texts become notes', () => {
    const base64 = Buffer.alloc(2_000, 7).toString('base64');
    expect(rowOf({ body: { x: 1 }, response: { value: base64 } }).response).toEqual({
      value: `(${base64.length} characters of base64)`,
    });
    expect(rowOf({ response: { value: 'long word '.repeat(500) } }).response).toEqual({
      value: expect.stringMatching(/^long word .*\.\.\. \(5000 characters\)$/),
    });
    expect(rowOf({ body: new TooLarge(70_000), response: new TooLarge(9_000_000) })).toMatchObject({
      body: '(70000 bytes not kept)',
      response: '(9000000 bytes not kept)',
    });
  });

  it('a body and an answer stay within their part', () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`field ${index}`, 'some text']),
    );
    const { body, response } = rowOf({ body: many, response: { value: many } });
    for (const part of [body, response])
      expect(JSON.stringify(part).length).toBeLessThan(2 * LOG_BOUNDS.bytesOfPart);
  });

  it('the oldest commands of a session go first, and its numbers go on', () => {
    for (let count = 0; count < 2_500; count++) {
      log.add(seen({ body: { x: count } }));
      if (count % 333 === 0) log.flush();
    }
    const rows = [...log.read('s1')];
    expect(rows.length).toBeLessThanOrEqual(LOG_BOUNDS.rowsOfSession);
    expect(rows.length).toBeGreaterThan(LOG_BOUNDS.rowsOfSession - 200);
    expect(rows.at(-1)).toMatchObject({ seq: 2_500, body: { x: 2_499 } });
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => (rows[0]?.seq ?? 0) + index));
    expect([...log.read('s1', 2_400, 10)].map(({ seq }) => seq)).toEqual(
      [...Array(10)].map((_, i) => 2_401 + i),
    );
  });

  it('a session never keeps more bytes than it may', () => {
    const body = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x y'.repeat(20)]),
    );
    for (let count = 0; count < 1_900; count++) {
      log.add(seen({ body, response: { value: body } }));
      if (count % 100 === 0) log.flush();
    }
    log.flush();
    const bytes = store.rows.reduce((sum, row) => sum + Buffer.byteLength(row.entries), 0);
    expect(bytes).toBeLessThanOrEqual(LOG_BOUNDS.bytesOfSession);
    expect(bytes).toBeGreaterThan(LOG_BOUNDS.bytesOfSession / 2);
  });

  it('the command log goes on counting for a session that ended and answers once more', () => {
    rowOf({});
    log.end('s1');
    log.flush();
    expect(rowOf({}).seq).toBe(2);
  });

  it('the command log keeps the commands of as many days as are set', () => {
    rowOf({ session: 'old', at: now - 31 * DAY_MS });
    rowOf({ session: 'new', at: now - 29 * DAY_MS });
    log.prune();
    expect([...log.read('old')]).toEqual([]);
    expect([...log.read('new')]).toHaveLength(1);
  });
});

describe('under load and failure', () => {
  it('bodies go before memory does, then whole commands, and the log says how many', () => {
    const large = { ...seen({ body: { x: 1 }, response: { value: 1 } }), size: 20 * 1024 * 1024 };
    const shed = {
      ...seen({ body: { b: 1 }, response: { value: 2 } }),
      size: 20 * 1024 * 1024,
      wasShed: false,
    };
    shed.shed = () => {
      shed.wasShed = true;
    };
    log.add(large);
    log.add(shed);
    expect(shed.wasShed).toBe(true);
    for (let count = 0; count < 20_000; count++) log.add(seen({}));
    expect(log.accepts).toBe(false);
    log.flush();
    expect(told).toEqual(['2 commands were too many for the session log']);
    expect(log.accepts).toBe(true);
  });

  it('a store that fails loses the commands, not the lab', () => {
    rowOf({});
    store.failing = new Error('disk full');
    log.add(seen({}));
    log.flush();
    expect(told).toEqual(['1 commands could not be written to the session log']);
    store.failing = null;
    expect(rowOf({}).seq).toBe(2);
  });
});
