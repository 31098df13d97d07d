import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, it } from 'vitest';
import { freePort, freshDataDir, runNode, startApi } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';

const cli = createRequire(import.meta.url).resolve('@svc/cli/main.js');

it('docs/operations/reverse-proxy.md with nginx: svc doctor finds that everything is passed on (spec 5.6)', async () => {
  const folder = freshDataDir();
  const [port, behind] = [await freePort(), await freePort()];
  const attributes = [{ name: 'commonName', value: 'localhost' }];
  const extensions = [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }] as const;
  const { cert, private: key } = await generate(attributes, { extensions: [...extensions] as never });
  writeFileSync(join(folder, 'lab.pem'), cert);
  writeFileSync(join(folder, 'lab.key'), key, { mode: 0o600 });
  const conf = readPage('docs/operations/reverse-proxy.md')
    .block('svc.conf')
    .replace('127.0.0.1:4723', `127.0.0.1:${behind}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll(/\/etc\/ssl|\/var\/log\/nginx/g, folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr notice; events {} http { ${temporary.join(' ')} ${conf} }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  });
  await once(nginx.stderr, 'data');

  const settings = { SVC_PUBLIC_URL: `https://localhost:${port}`, SVC_TRUSTED_PROXIES: '127.0.0.1' };
  const server = await startApi({ env: { ...settings, PORT: String(behind) } });
  const run = runNode(cli, {
    args: ['doctor', '--json'],
    env: {
      ...settings,
      SVC_DATA_DIR: server.dataDir,
      NODE_EXTRA_CA_CERTS: join(folder, 'lab.pem'),
    },
  });
  await run.exited;
  const { findings } = JSON.parse(run.stdout()) as { findings: { check: string; outcome: string }[] };
  const outcomes = Object.fromEntries(findings.map(({ check, outcome }) => [check, outcome]));
  expect(outcomes, run.output()).toMatchObject({
    'proxy-headers': 'ok',
    'proxy-authorization': 'ok',
    'proxy-host': 'ok',
    'proxy-upgrade': 'ok',
    'cookie-flags': 'ok',
    'spoofable-address': 'ok',
  });
  expect(readFileSync(join(folder, 'svc.log'), 'utf8')).toMatch(/"GET \/svc\/api\/events" 401/);
  nginx.kill();
  await server.stop();
}, 120_000);
