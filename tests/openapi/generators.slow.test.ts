import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maven } from '../support/java-client.ts';
import { makeToken, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, pythonWith, run } from '../support/programs.ts';
import { npx, type WrittenDocument, writtenDocument } from './support/document.ts';

let document: WrittenDocument;
let server: RunningServer;

beforeAll(async () => {
  [document, server] = await Promise.all([writtenDocument(), startApi()]);
});
afterAll(async () => {
  await server.stop();
  cleanUp();
});

const OPTIONS = {
  noEmit: true,
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
};
const TYPED = `
import type { components, operations, paths } from './svc';
type Schemas = components['schemas'];
type Created = operations['createUser']['responses'][201]['content']['application/json'];
export const body: Schemas['CreateUserRequest'] = { email: 'ada@lab.example', name: 'Ada', role: 'Member' };
export const keyOf = ({ accessKey, temporaryPassword = '' }: Created): string => accessKey + temporaryPassword;
export const query: operations['getAuditTrail']['parameters']['query'] = { limit: 10, event: 'user_created' };
export const code: Schemas['Error']['error'] = 'role_exceeds_yours';
export const nothing: undefined | never = undefined as operations['removeUser']['responses'][204]['content'];
export const me: paths['/svc/api/auth/me']['get'] = {} as operations['getMe'];
// @ts-expect-error: no such role.
export const role: Schemas['Role'] = 'Root';
// @ts-expect-error: a field the route does not know.
export const more: Schemas['CreateTeamRequest'] = { name: 'a', colour: 'red' };
`;

it('types that openapi-typescript makes of the document compile and have the names of its operations (contract 2)', async () => {
  const { folder, file } = document;
  const made = await npx(folder, 'openapi-typescript@7.13.0', [file, '--output', join(folder, 'svc.d.ts')]);
  expect(made.code, made.output).toBe(0);
  writeFileSync(join(folder, 'use.ts'), TYPED);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, files: ['use.ts'] }),
  );
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript')), 'tsc.js');
  const { code, output } = await run(process.execPath, [tsc], { cwd: folder });
  expect(output).toBe('');
  expect(code).toBe(0);
}, 180_000);

const CALLS = `
import os
from svc_rest import AuthenticatedClient, Client
from svc_rest.api.passwords import change_password
from svc_rest.api.tokens import get_me, issue_bearer
from svc_rest.api.users import create_user, list_users
from svc_rest.models import CreateUserRequest, Error, ErrorCode, IssueBearerRequest, Me, Role

url = os.environ["SVC_URL"]
pair = {"x-svc-access-key": os.environ["SVC_ACCESS_KEY"], "x-svc-token": os.environ["SVC_TOKEN"]}
client = Client(base_url=url, headers=pair)
token = issue_bearer.sync(client=client, body=IssueBearerRequest())
me = get_me.sync(client=AuthenticatedClient(base_url=url, token=token.token))
assert isinstance(me, Me) and me.role == Role.SUPER_ADMIN, me
created = create_user.sync(client=client, body=CreateUserRequest(email="ada@lab.example", name="Ada", role=Role.MEMBER))
assert created.temporary_password, created
assert [user.email for user in list_users.sync(client=client, search="ada")] == ["ada@lab.example"]
taken = create_user.sync(client=client, body=CreateUserRequest(email="Ada@lab.example", name="Ada", role=Role.MEMBER))
assert isinstance(taken, Error) and taken.error == ErrorCode.CONFLICT, taken
print("called")
`;

it('a client that openapi-python-client makes of the document imports and calls the API (contract 2)', async () => {
  const { folder, file } = document;
  const python = await pythonWith('openapi-python-client==0.29.1\n');
  const out = join(folder, 'svc_rest');
  const args = [
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    file,
    '--meta',
    'none',
    '--output-path',
    out,
  ];
  const made = await run(python, args, { cwd: folder });
  expect(made.code, made.output).toBe(0);
  // Expect these warnings, because a generated function cannot return an endless stream or an image.
  expect(made.output.match(/^WARNING parsing .*/gm)).toEqual([
    'WARNING parsing GET /svc/api/control/{udid}/screenshot within control.',
    'WARNING parsing GET /svc/api/control/{udid}/stream within control.',
    'WARNING parsing GET /svc/api/watch/stream within spectators.',
    'WARNING parsing GET /svc/api/session/{id}/recording/picture within recordings.',
  ]);
  writeFileSync(join(folder, 'calls.py'), CALLS);
  const { accessKey, token } = await makeToken(server.url, await signIn(server.url));
  const env = { SVC_URL: server.url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
  const { output } = await run(python, ['calls.py'], { cwd: folder, env });
  expect(output).toBe('called\n');
}, 180_000);

it('a client that openapi-generator makes of the document for Java compiles and calls the API (contract 2)', async () => {
  const { folder } = document;
  readPage('docs/clients/openapi.md').writeTo(folder);
  const { accessKey, token } = await makeToken(server.url, await signIn(server.url));
  const env = { SVC_URL: server.url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
  const { code, output } = await maven(folder, ['compile', 'exec:java'], env);
  expect(code, output).toBe(0);
  expect(output).toContain('admin@svc.local\n');
}, 300_000);
