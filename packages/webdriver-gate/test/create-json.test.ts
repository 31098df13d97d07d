import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readJsonBody } from '../src/create-body.ts';
import { CreateBudget } from '../src/create-budget.ts';

function sent(type: string | undefined, body = '{"a":1}'): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  if (type !== undefined) req.headers['content-type'] = type;
  req.push(body);
  req.push(null);
  return req;
}

const read = (req: IncomingMessage, budget = new CreateBudget({ now: () => 0 })) =>
  readJsonBody(req, { maxBytes: 512 * 1024, withinMs: 1000 }, budget.open());

describe('the type of a create (contract 6)', () => {
  it.each([
    undefined,
    '',
    ' ',
    'application/json',
    ' Application/JSON ',
    'application/json;',
    'application/json ; charset=utf-8',
    'application/json; charset = "UTF-8" ;',
    'application/json;charset=utf8',
  ])('%j is read', async (type) => {
    expect(await read(sent(type))).toEqual({ a: 1 });
  });

  it.each([
    'text/plain',
    'application/json, text/plain',
    'application/jsonp',
    'application/json x',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16le',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/json; x=y',
    'application/json;;;',
    `application/json${' '.repeat(1_000_000)}!`,
    `application/json;charset${' '.repeat(1_000_000)}!`,
  ])('%.60j is refused', async (type) => {
    await expect(read(sent(type))).rejects.toMatchObject({ w3cStatus: 415 });
  });
});

const withExtra = (extra: string) => `{"capabilities":{"alwaysMatch":{"appium:extra":${extra}}}}`;
const entries = (count: number) => JSON.stringify({ capabilities: { firstMatch: Array(count).fill({}) } });

describe('what a create may hold (contract 5)', () => {
  it.each([
    ['64 levels', withExtra('['.repeat(61) + ']'.repeat(61))],
    ['20,000 values', withExtra(`[${Array(19_996).fill(1)}]`)],
    ['64 entries of firstMatch', entries(64)],
  ])('%s are read', async (_, body) => {
    expect(await read(sent('application/json', body))).toEqual(JSON.parse(body));
  });

  it.each([
    ['more than 64 levels', withExtra('['.repeat(62) + ']'.repeat(62))],
    ['more than 64 levels', '['.repeat(500_000)],
    ['more than 20000 values', withExtra(`[${Array(19_997).fill(1)}]`)],
    ['more than 20000 values', `[${Array(160_000).fill('{}')}]`],
    ['more than 64 entries', entries(65)],
  ])('%s are refused: %.60j', async (what, body) => {
    await expect(read(sent('application/json', body))).rejects.toMatchObject({
      w3cStatus: 400,
      error: 'invalid argument',
      message: expect.stringContaining(what),
    });
  });

  it('counts in the budget with what its values take, until its sender is admitted', async () => {
    const budget = new CreateBudget({ now: () => 0 });
    const body = withExtra(`[${Array(10_000).fill('{}')}]`);
    await read(sent('application/json', body), budget);
    expect(budget.held).toBeGreaterThan(10_000 * 100);
  });
});
