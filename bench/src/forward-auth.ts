import { serviceAndKinds } from './credentials/kinds.ts';
import { startNginx } from './forward-auth/nginx.ts';
import { compare } from './load.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const ROUNDS = sized({ short: 1, usual: 3, long: 7 });

/**
 * Cost for nginx of asking the service (`auth_request`), compared with an nginx that does not ask and one whose auth
 * server always allows.
 */
export async function forwardAuthBench(report: Report): Promise<void> {
  report.begin(
    'A proxy that asks first',
    'Requests per second through nginx with auth_request to GET /auth/verify, compared with nginx without it; `always allowed` asks another nginx that responds 204',
  );
  const { service, checked } = await serviceAndKinds();
  const nginx = await startNginx(service.url);
  const headers = checked[0]?.headers ?? [];
  const server = { url: nginx.url, cpu: async () => 0 };
  const variants = ['open', 'yes', 'guarded'].map((name) => ({ name, server, path: `/${name}/`, headers }));
  const figures = await compare(variants, { rounds: ROUNDS, seconds: 2 });
  const share = (name: string) => [figures(name).perSecond / figures('open').perSecond];
  report.add({ what: 'always allowed', values: share('yes') });
  report.add({ what: 'svc', values: share('guarded') });
  await nginx.stop();
  await service.stop();
}
