/*
 * Creates the credentials with which nodes register at the hub: an account for nodes with the role Admin, and an API
 * key of this account with the scope `admin`. This program ends before the nodes start. If the API key of an earlier
 * run is still valid, nothing is created.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const {
  HUB_URL,
  ENROLLED,
  SVC_BOOTSTRAP_ADMIN_EMAIL: email,
  SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE: file,
} = process.env;
const NODES = { email: 'nodes@svc.local', name: 'Nodes', role: 'Admin' };

async function api(method, path, { headers, json } = {}) {
  const answer = await fetch(`${HUB_URL}/svc/api${path}`, {
    method,
    headers: { origin: HUB_URL, ...(json && { 'content-type': 'application/json' }), ...headers },
    ...(json && { body: JSON.stringify(json) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function signIn(credentials) {
  const answer = await api('POST', '/auth/login', { json: credentials });
  return { cookie: answer.headers.getSetCookie()[0].split(';', 1)[0] };
}

function pair() {
  const read = (name) => readFileSync(`${ENROLLED}/${name}`, 'utf8');
  return { 'x-svc-access-key': read('access-key'), 'x-svc-token': read('token') };
}

async function isEnrolled() {
  try {
    const answer = await fetch(`${HUB_URL}/svc/api/auth/me`, { headers: pair() });
    if (answer.status === 401) return false;
    if (!answer.ok) throw new Error(`GET /auth/me: ${answer.status}`);
    return (await answer.json()).scopes.includes('admin');
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

async function enroll() {
  const headers = await signIn({ email, password: readFileSync(file, 'utf8').replace(/\r?\n$/, '') });
  const users = await (await api('GET', '/users', { headers })).json();
  const old = users.find((user) => user.email === NODES.email);
  if (old !== undefined) await api('DELETE', `/users/${old.id}`, { headers });
  // This password is not stored, because no one has to sign in with it again.
  const password = randomBytes(24).toString('base64url');
  const user = await (await api('POST', '/users', { headers, json: { ...NODES, password } })).json();
  const nodes = await signIn({ email: NODES.email, password });
  const made = await api('POST', '/apikeys', { headers: nodes, json: { name: 'nodes', scopes: ['admin'] } });
  const { token } = await made.json();
  await api('POST', '/auth/logout', { headers: nodes });
  await api('POST', '/auth/logout', { headers });
  writeFileSync(`${ENROLLED}/access-key`, user.accessKey, { mode: 0o600 });
  writeFileSync(`${ENROLLED}/token`, token, { mode: 0o600 });
}

if (await isEnrolled()) console.log('nodes are enrolled');
else {
  await enroll();
  console.log('nodes enrolled');
}
