import { EventEmitter } from 'node:events';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type Caller, scopeSet } from '@svc/auth-core';
import { fakeClock } from '@svc/auth-core/testing';
import type { Scope } from '@svc/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { CreateBudget } from '../src/create-budget.ts';
import { StorageRoutes } from '../src/storage-routes.ts';

const MINUTES = 60_000;
const SHA1 = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

const callerOf = (id: string, scopes: readonly Scope[]) =>
  ({ account: { id }, scopes: scopeSet(scopes) }) as unknown as Caller;
const ana = callerOf('ana', ['read', 'sessions']);
const bob = callerOf('bob', ['read', 'sessions']);
const admin = callerOf('root', ['admin']);

let clock: ReturnType<typeof fakeClock>;
let budget: CreateBudget;
let routes: StorageRoutes;

beforeEach(() => {
  clock = fakeClock(0);
  budget = new CreateBudget(clock);
  const limits = { maxBytes: 512 * 1024, withinMs: 60_000 };
  routes = new StorageRoutes({ basePath: '/wd/hub', clock, budget, limits });
});

/** Checks a request, and answers it with 200 if it passes. */
async function ask(url: string, caller: Caller, body?: unknown, method = 'POST'): Promise<string> {
  const req = new IncomingMessage(new Socket());
  const text = body === undefined ? '' : JSON.stringify(body);
  Object.assign(req, { method, url, headers: { 'content-length': String(text.length) } });
  req.push(text);
  req.push(null);
  const res = Object.assign(new EventEmitter(), { statusCode: 200 }) as unknown as ServerResponse;
  try {
    await routes.check(req, res, { url, caller });
  } catch (error) {
    const { w3cStatus, message } = error as { w3cStatus: number; message: string };
    return `${w3cStatus} ${message}`;
  }
  if (body !== undefined && !url.toLowerCase().includes('reset'))
    expect((req as { body?: unknown }).body).toEqual(body);
  res.emit('finish');
  return 'passes';
}

const add = (caller: Caller, name: unknown, sha1: unknown = SHA1) =>
  ask('/appium/storage/add', caller, { name, sha1 });
const socket = (caller: Caller, sha1 = SHA1, end = 'stream') =>
  routes.mayUpgrade(`/appium/storage/add/${sha1}/${end}`, caller);

describe('the routes of the storage plugin', () => {
  const paths = (name: string) => [
    `/appium/storage/${name}`,
    `/storage/${name}`,
    `/APPIUM/Storage/${name.toUpperCase()}/`,
    `//appium//storage//${name}?x=1`,
    `/appium/stor%61ge/${name}`,
    `/wd/hub/appium/storage/${name}`,
  ];

  it.each([
    ['list', 'read', 'GET', ['read']],
    ['add', 'sessions', 'POST', ['sessions']],
    ['delete', 'admin', 'POST', ['admin']],
    ['reset', 'admin', 'POST', ['admin']],
  ] as const)('%s needs the scope %s in every spelling', async (name, scope, method, scopes) => {
    const others = (['read', 'sessions', 'devices'] as const).filter((each) => each !== scope);
    for (const path of paths(name)) {
      const body = method === 'GET' ? undefined : { name: `of ${path}`, sha1: SHA1 };
      const refused = `403 the storage needs the scope ${scope} for this request`;
      expect(await ask(path, callerOf('x', others), body, method)).toBe(refused);
      if (method === 'POST') expect(await ask(path, callerOf('x', others), undefined, 'GET')).toBe(refused);
      expect(await ask(path, callerOf('ana', scopes), method === 'GET' ? undefined : body, method)).toBe(
        'passes',
      );
    }
  });

  it('routes that a later plugin adds need admin, and routes of other plugins nothing more', async () => {
    expect(await ask('/appium/storage/copy', ana)).toMatch(/^403 .*admin/);
    expect(await ask('/appium/storage/copy', admin)).toBe('passes');
    for (const path of [
      '/storage',
      '/storage/copy',
      '/storages/list',
      '/appium/storages',
      '/x/storage/delete',
    ])
      expect(await ask(path, callerOf('x', []), undefined, 'GET')).toBe('passes');
  });
});

describe('an uploaded name', () => {
  it('the name of an upload belongs to the account that uploaded it, in every spelling, until an admin deletes it', async () => {
    expect(await add(ana, 'App-é.apk')).toBe('passes');
    expect(socket(ana)).toBe(true);
    clock.advance(60 * MINUTES);
    expect(await add(ana, 'App-é.apk')).toBe('passes');
    for (const name of ['App-é.apk', 'APP-É.APK', 'app-e\u0301.apk'])
      expect(await add(bob, name, OTHER)).toBe('409 another account uploaded a file of this name');
    expect(await ask('/appium/storage/delete', ana, { name: 'App-é.apk' })).toMatch(/^403/);
    expect(await ask('/appium/storage/delete', admin, { name: 'App-é.apk' })).toBe('passes');
    expect(await add(bob, 'App-é.apk', OTHER)).toBe('passes');
    expect(await ask('/appium/storage/reset', admin)).toBe('passes');
    expect(await add(ana, 'App-é.apk')).toBe('passes');
  });

  it('the name of an upload is free again after five minutes if its upload never began', async () => {
    expect(await add(ana, 'a.apk')).toBe('passes');
    clock.advance(5 * MINUTES - 1);
    expect(await add(bob, 'a.apk', OTHER)).toMatch(/^409/);
    clock.advance(1);
    expect(await add(bob, 'a.apk', OTHER)).toBe('passes');
    expect(socket(ana)).toBe(false);
  });

  it('the name of an upload cannot be taken by the same content, nor by the name of an unfinished file', async () => {
    expect(await add(ana, 'a.apk', SHA1.toUpperCase())).toBe('passes');
    expect(await add(bob, 'b.apk')).toBe('409 another account is uploading the same content');
    expect(await add(bob, 'a.apk.FilePart', OTHER)).toMatch(/^400 .*filepart/);
    for (const [name, sha1] of [
      [['a.apk'], OTHER],
      [undefined, OTHER],
      ['b.apk', 7],
    ])
      expect(await add(bob, name, sha1)).toMatch(/^400/);
    expect(await ask('/appium/storage/add', bob, { name: 'b'.repeat(20_000), sha1: OTHER })).toMatch(/^413/);
    expect(budget.held).toBe(0);
  });
});

describe('a socket of an upload', () => {
  it('a socket of an upload opens only for the account that asked for the upload', async () => {
    expect(socket(ana)).toBe(false);
    await add(ana, 'a.apk');
    for (const end of ['stream', 'events']) {
      expect(socket(ana, SHA1, end)).toBe(true);
      expect(socket(bob, SHA1, end)).toBe(false);
      expect(socket(admin, SHA1, end)).toBe(false);
    }
    expect(socket(callerOf('ana', ['read']))).toBe(false);
    expect(routes.mayUpgrade('/appium/storage/list', admin)).toBe(false);
    expect(routes.mayUpgrade('/elsewhere', bob)).toBe(true);
  });
});
