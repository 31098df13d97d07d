import { beforeAll, describe, expect, it } from 'vitest';
import { openService, type Service } from './support/service.ts';

const DASHBOARD = [
  'devices',
  'sessions',
  'profile',
  'users',
  'teams',
  'api-keys',
  'audit',
  'command-check',
].concat(['settings', 'access', 'api-reference']);

describe('pages for people who are not signed in', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  const get = (path: string) => service.app.inject({ method: 'GET', url: path });

  it('pages for people who are not signed in have an icon at the address that browsers request on their own', async () => {
    const { statusCode, headers, rawPayload } = await get('/favicon.ico');
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/x-icon']);
    expect(rawPayload.subarray(0, 4).toString('hex')).toBe('00000100');
  });

  it('the documentation needs no credential, and keeps the description of its build to itself (contract 1)', async () => {
    const { statusCode, headers } = await get('/svc/docs');
    expect([statusCode, headers.location]).toEqual([308, 'docs/']);
    for (const path of [
      '.vite/packages.json',
      '%2e%2e/package.json',
      '..%2fpackage.json',
      'guides',
      'nothing.html',
    ])
      expect((await get(`/svc/docs/${path}`)).statusCode, path).toBe(404);
    expect((await service.app.inject({ method: 'POST', url: '/svc/docs/' })).statusCode).toBe(404);
  });

  describe.each([
    ...['/', '/svc', '/svc/', '/svc/sign-in', '/svc/forgot-password', '/svc/reset-password'],
    ...['/svc/docs/', '/svc/docs/guides/install.html'],
    ...DASHBOARD.map((name) => `/svc/${name}`),
  ])('%s', (path) => {
    it('a public page is 200 HTML for anyone and sets no cookie (contract 1)', async () => {
      const { statusCode, headers } = await get(path);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['set-cookie']).toBeUndefined();
    });

    it('runs and shows nothing but our own files', async () => {
      const { headers, body } = await get(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("trusted-types 'none'");
      expect(policy).not.toContain('unsafe');
      expect(body).not.toMatch(/<style|style=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/i);
      const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string);
      expect(files.length).toBeGreaterThan(2);
      for (const file of files) {
        const address = new URL(file, `http://lab.test${path}`).pathname;
        expect(address).toMatch(/^\/svc\//);
        expect((await get(address)).statusCode).toBe(200);
      }
    });

    it('a public page names its language, its title and every field', async () => {
      const { body } = await get(path);
      expect(body).toMatch(/<html lang="en">/);
      expect(body).toMatch(/<title>[^<]+<\/title>/);
      for (const [, id] of body.matchAll(/<input id="([^"]+)"/g))
        expect(body).toContain(`<label for="${id}">`);
    });
  });

  it.each([
    '/svc/assets/../sign-in.html',
    '/svc/assets/%2e%2e/%2e%2e/package.json',
    '/svc/assets/',
    '/svc/nothing',
    '/svc/devices/one',
    '/nothing',
  ])('%s is not found, on a page that leads to the sign-in (contract 1)', async (path) => {
    const { statusCode, headers, body } = await get(path);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain('href="/svc/"');
    expect(body).not.toMatch(/<style|style=|<script/i);
  });

  it('a file named after its content is cached permanently and sent compressed', async () => {
    const { body } = await get('/svc/sign-in');
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(body)?.[1];
    const answer = await service.app.inject({
      url: `/svc${script}`,
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: 'accept-encoding',
      'content-type': 'application/javascript; charset=utf-8',
    });
    for (const path of ['/svc/static/theme.js', '/svc/sign-in']) {
      expect((await get(path)).headers['cache-control']).toBe('no-cache');
    }
  });

  it('programs are answered in JSON, and so is everything below /svc/api (contract 1)', async () => {
    const requests = [
      { method: 'POST', url: '/svc/nothing' },
      { method: 'GET', url: '/svc/nothing', headers: { accept: 'application/json' } },
    ] as const;
    for (const request of requests) {
      const answer = await service.app.inject(request);
      expect([answer.statusCode, answer.json().error]).toEqual([404, 'not_found']);
    }
    const headers = { accept: 'text/html' };
    const api = await service.app.inject({ url: '/svc/api/nothing', headers });
    expect([api.statusCode, api.json().error]).toEqual([401, 'unauthenticated']);
  });
});
