import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import { ATTACH_PATH, SITE_PREFIX } from '@svc/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HOST } from '../http/address-for.ts';
import type { HttpContext } from '../http/http-context.ts';

/** npm package of Appium Inspector for browsers. svc serves its files; Appium need not load it (contract 15.5). */
const PACKAGE = 'appium-inspector-plugin';
const PREFIX = `${SITE_PREFIX}/inspector`;
/** Names of the files that the package's page loads. No name leads out of the package's folder. */
const FILE = /^(?:assets\/[\w-][\w.-]*|locales\/[\w-]+\/[\w-]+\.json)$/;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Storage in memory and an empty cookie, in place of the browser's, which a sandboxed page cannot reach. The page reads
 * both and would stop if that threw an error.
 */
const STORAGE = `(() => {
  const storage = () => {
    const kept = new Map();
    return {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (index) => [...kept.keys()][index] ?? null,
      get length() { return kept.size; },
    };
  };
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { configurable: true, value: storage() });
  Object.defineProperty(document, 'cookie', { configurable: true, get: () => '', set: () => undefined });
})();
`;

const MISSING = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Appium Inspector</title>
<h1>Appium Inspector is not installed</h1>
<p>Install it in the home folder of Appium on this server, then load this page again:</p>
<pre>appium plugin install --source=npm ${PACKAGE}</pre>
<p>The server need not be restarted, and the plugin need not be named in <code>--use-plugins</code>: svc serves its files.</p>
</html>
`;

/** Folder that Appium uses as its home if `APPIUM_HOME` is not set. */
const appiumHome = (): string => process.env.APPIUM_HOME ?? join(homedir(), '.appium');

const folder = (): string => join(appiumHome(), 'node_modules', PACKAGE, 'dist-browser');

/** Returns whether the files of Appium Inspector are installed now. They can be installed while the server runs. */
export async function isInspectorInstalled(): Promise<boolean> {
  return (await fileOf('index.html')) !== undefined;
}

/**
 * Serves the files of Appium Inspector to any client (contract 15.5). They hold no data. The page runs in a sandbox
 * without an origin, so that its scripts reach neither the dashboard's cookie nor its storage, and the content security
 * policy lets them send requests to attach addresses alone. Nothing here may set or read a cookie.
 */
export function serveInspector(app: FastifyInstance, { clients }: Pick<HttpContext, 'clients'>): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const html = await fileOf('index.html');
    const isHttps = clients.isHttps(request.raw);
    return secured(reply, policyFor(request.headers.host, isHttps))
      .type('text/html; charset=utf-8')
      .send(html === undefined ? MISSING : withStorage(rewritten(html.toString('utf8'))));
  };
  app.get(PREFIX, page);
  app.get(`${PREFIX}/`, page);
  app.get(`${PREFIX}/svc-storage.js`, (_request, reply) =>
    asset(reply)
      .type(TYPES['.js'] as string)
      .send(STORAGE),
  );
  app.get(`${PREFIX}/*`, async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    const type = TYPES[extname(name)];
    const file = FILE.test(name) && type !== undefined ? await fileOf(name) : undefined;
    if (file === undefined || type === undefined) return reply.callNotFound();
    return asset(reply)
      .type(type)
      .send(extname(name) === '.js' ? rewritten(file.toString('utf8')) : file);
  });
}

async function fileOf(name: string): Promise<Buffer | undefined> {
  return await readFile(join(folder(), name)).catch(() => undefined);
}

/** The page has no origin, so each file that it loads as a module, style or font needs the header for other origins. */
function asset(reply: FastifyReply): FastifyReply {
  return secured(reply, "default-src 'none'; sandbox").header('access-control-allow-origin', '*');
}

function secured(reply: FastifyReply, policy: string): FastifyReply {
  return (
    reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'DENY')
      // The address of the page contains the secret of an attach address.
      .header('referrer-policy', 'no-referrer')
  );
}

/** `allow-same-origin` must never be in the list, because the page would then have the origin of the dashboard. */
const SANDBOX = 'sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups';

function policyFor(host: string | undefined, isHttps: boolean): string {
  // A policy cannot contain some hosts, such as an IPv6 address. A wider source replaces them.
  const isPlain = host !== undefined && HOST.test(host) && !host.includes('[');
  const own = (path: string) => (isPlain ? `${isHttps ? 'https' : 'http'}://${host}${path}` : "'self'");
  const files = own(`${PREFIX}/`);
  return [
    SANDBOX,
    "default-src 'none'",
    `script-src ${files}`,
    // The page's components create their styles at run time.
    `style-src ${files} 'unsafe-inline'`,
    `img-src ${files} data: blob:`,
    `font-src ${files} data:`,
    `connect-src ${own(ATTACH_PATH)} ${own(`${PREFIX}/locales/`)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Replaces the path at which the package expects its files by the path at which svc serves them. */
function rewritten(text: string): string {
  return text
    .replaceAll('"/inspector/', `"${PREFIX}/`)
    .replace('viteBase = "/inspector"', `viteBase = "${PREFIX}"`)
    .replace('`..$', '`$');
}

function withStorage(html: string): string {
  return html.replace('<head>', `<head><script src="${PREFIX}/svc-storage.js"></script>`);
}
