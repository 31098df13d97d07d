import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CreateBudget } from '../src/create-budget.ts';
import { readJsonBody } from '../src/create-json.ts';

function sent(type: string | undefined, body = '{"a":1}'): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  if (type !== undefined) req.headers['content-type'] = type;
  req.push(body);
  req.push(null);
  return req;
}

const read = (req: IncomingMessage) =>
  readJsonBody(req, { maxBytes: 1024, withinMs: 1000 }, new CreateBudget({ now: () => 0 }).open());

describe('(contract 6) the type of a create', () => {
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
