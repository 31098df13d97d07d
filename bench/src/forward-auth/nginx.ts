import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx with three locations: `/open/` sends no auth request, `/yes/` sends its auth request to a server that
 * always allows, and `/guarded/` sends its auth request to the service.
 */
export async function startNginx(service: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const [port, behind] = [await freePort(), await freePort()];
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf({ folder, port, behind, service: new URL(service).host }));
  const path = `${process.env.PATH}:/usr/sbin`;
  const child = spawn('nginx', ['-c', config, '-e', join(folder, 'error.log')], {
    env: { PATH: path },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.once('error', () => console.error('nginx is missing; on Debian: apt-get install nginx-light'));
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => (await fetch(`${url}/open/`).catch(() => undefined))?.ok === true;
  for (let tries = 0; !(await isUp()); tries++) {
    if (tries > 100) throw new Error('nginx did not start');
    await after(50);
  }
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGQUIT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ports {
  readonly folder: string;
  readonly port: number;
  readonly behind: number;
  /** Host and port. */
  readonly service: string;
}

function configOf({ folder, port, behind, service }: Ports): string {
  const asks = (location: string, place: string) => `
    location /${location}/ { auth_request /ask-${location}; proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ""; }
    location = /ask-${location} {
      internal;
      proxy_pass ${place};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Original-URI $request_uri;
      proxy_set_header X-Original-Method $request_method;
    }`;
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  upstream behind { server 127.0.0.1:${behind}; keepalive 64; keepalive_requests 1000000; }
  upstream svc { server ${service}; keepalive 64; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${behind};
    location / { return 200 "ok"; }
    location = /yes { return 204; }
  }
  server {
    listen 127.0.0.1:${port};
    location /open/ { proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ""; }
    ${asks('yes', 'http://behind/yes')}
    ${asks('guarded', 'http://svc/svc/api/auth/verify')}
  }
}
`;
}
