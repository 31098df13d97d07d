import { API_PREFIX, HEADERS } from '@svc/contract';
import type { Config } from '@svc/settings';
import { type Answered, ask, errorOf } from './ask.ts';
import { type Finding, failure, ok, skipped, warning } from './finding.ts';
import { messageOf } from './host.ts';

const MADE_UP = { [HEADERS.accessKey]: 'svc_doctor', [HEADERS.token]: 'svct_doctor' };

/**
 * Checks which headers a reverse proxy in front of `publicUrl` removes or changes, by sending requests with invalid
 * credentials and reading the responses.
 */
export async function checkProxy({
  publicUrl,
  isPublicUrlUnusable,
  trustedProxies,
  authDisabled,
}: Config): Promise<Finding[]> {
  if (publicUrl === null)
    return [
      skipped(
        'proxy',
        `SVC_PUBLIC_URL ${isPublicUrlUnusable ? 'cannot be used' : 'is not set'}, so no reverse proxy was checked`,
      ),
    ];
  const api = `${publicUrl}${API_PREFIX}`;
  try {
    const isHttps = publicUrl.startsWith('https:');
    return [
      ...(authDisabled ? [] : [await headersArrive(api), await bearerArrives(api)]),
      hostStays(await logout(api, publicUrl), publicUrl),
      cookieFlags(await logout(api, publicUrl), isHttps, trustedProxies.length > 0),
      await upgradesPass(api),
    ];
  } catch (error) {
    const fix = 'Check the host name, port, certificate and firewall from the machine of a tester.';
    return [failure('proxy', `This host cannot reach ${publicUrl}: ${messageOf(error)}`, fix)];
  }
}

async function headersArrive(api: string): Promise<Finding> {
  const check = 'proxy-headers';
  const error = errorOf(await ask(`${api}/auth/me`, { headers: MADE_UP }));
  if (error === 'invalid credentials')
    return ok(check, 'The proxy passes on x-svc-access-key and x-svc-token');
  const fix =
    'Configure the proxy to pass on x-svc-access-key and x-svc-token, also of commands and of WebSocket upgrades.';
  return failure(
    check,
    `The proxy removes the key pair of a request (${error ?? 'the response is not from svc'})`,
    fix,
  );
}

async function bearerArrives(api: string): Promise<Finding> {
  const check = 'proxy-authorization';
  const error = errorOf(await ask(`${api}/auth/me`, { headers: { authorization: 'Bearer doctor' } }));
  if (error === 'invalid token') return ok(check, 'The proxy passes on Authorization');
  const fix = 'Configure the proxy to pass on Authorization and not to check it itself.';
  return failure(check, `The proxy removes Authorization (${error ?? 'the response is not from svc'})`, fix);
}

/** Sends a request to sign out. It changes nothing, because it has no cookie of a sign-in. */
function logout(api: string, publicUrl: string): Promise<Answered> {
  return ask(`${api}/auth/logout`, { method: 'POST', headers: { origin: publicUrl } });
}

function hostStays(answer: Answered, publicUrl: string): Finding {
  const check = 'proxy-host';
  if (answer.status === 204) return ok(check, 'The proxy passes on Host as browsers send it');
  const fix = `Configure the proxy to pass on Host unchanged (nginx: proxy_set_header Host $http_host), or list ${publicUrl} in SVC_ALLOWED_ORIGINS.`;
  return failure(
    check,
    `Browsers cannot sign in through the proxy: ${errorOf(answer) ?? answer.status}`,
    fix,
  );
}

function cookieFlags({ headers }: Answered, isHttps: boolean, trustsProxies: boolean): Finding {
  const check = 'cookie-flags';
  const cookie = headers['set-cookie']?.join('; ') ?? '';
  if (cookie === '') return skipped(check, 'The server set no sign-in cookie, so its flags were not checked');
  const missing = ['HttpOnly', 'SameSite=Strict', ...(isHttps ? ['Secure'] : [])].filter(
    (flag) => !new RegExp(`;\\s*${flag}(?:;|$)`, 'i').test(cookie),
  );
  if (missing.length === 0 && isHttps)
    return ok(check, 'The sign-in cookie is HttpOnly, SameSite=Strict and Secure');
  if (missing.length === 0)
    return warning(
      check,
      'SVC_PUBLIC_URL is http, so passwords and cookies are sent unencrypted',
      'Put a reverse proxy with TLS in front of the server.',
    );
  const fix = trustsProxies
    ? 'Configure the proxy to set X-Forwarded-Proto, and list its address in SVC_TRUSTED_PROXIES.'
    : 'Configure the proxy to set X-Forwarded-Proto: https.';
  return failure(check, `The sign-in cookie lacks ${missing.join(', ')}`, fix);
}

/**
 * Checks that the proxy passes on WebSocket upgrades. The server refuses this upgrade with a response that has no body.
 * A response with a body shows that the proxy has removed the `Upgrade` header, because the server sends a body only if
 * a request is not an upgrade.
 */
async function upgradesPass(api: string): Promise<Finding> {
  const check = 'proxy-upgrade';
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'c3ZjLWRvY3Rvci1jaGVjaw==',
  };
  const { status, body } = await ask(`${api}/events?ticket=doctor`, { headers });
  if (status === 401 && body === '') return ok(check, 'The proxy passes on WebSocket upgrades');
  const fix =
    'Configure the proxy to pass on upgrades (nginx: proxy_http_version 1.1 and the Upgrade and Connection headers).';
  return failure(check, `The proxy does not pass on WebSocket upgrades (status ${status})`, fix);
}
