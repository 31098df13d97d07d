import type { Server } from '../child.ts';
import { compare } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { KINDS, serviceAndKinds, uncheckedOf } from './kinds.ts';

const STARTS = sized({ short: 1, usual: 3, long: 5 });
const ROUNDS = sized({ short: 1, usual: 2, long: 3 });

/** Share of requests per second, and per second of the server's processor time. */
interface Share {
  readonly byTime: number;
  readonly byCpu: number;
}

/** Uses several starts, because processes of the same program differ by a few per cent. */
export async function againstNoCheck(report: Report): Promise<void> {
  report.begin(
    'A checked request',
    'GET /auth/me with 32 connections, 10,000 users and 50,000 tokens, against the same framework that sends one of the same bodies, picked at random, through the same response schema and checks nothing',
  );
  const shares = new Map<string, Share[]>(KINDS.map((kind) => [kind, []]));
  for (let start = 0; start < STARTS; start += 1) {
    for (const [kind, share] of await sharesOfOneStart()) shares.get(kind)?.push(share);
  }
  for (const [kind, seen] of shares) {
    const values = seen.map(({ byTime }) => byTime);
    const plot = { name: 'credentials', label: `svc, ${kind}`, isOurs: true } as const;
    report.add({ what: kind, values, goal: { atLeast: 0.85 }, plot });
    report.add({ what: `${kind}, by processor time`, values: seen.map(({ byCpu }) => byCpu) });
  }
}

async function sharesOfOneStart(): Promise<Map<string, Share>> {
  const { service, checked } = await serviceAndKinds();
  const unchecked = await Promise.all(checked.map(uncheckedOf));
  const figures = await compare(
    checked.flatMap((variant, index) => [variant, unchecked[index] as (typeof unchecked)[number]]),
    { rounds: ROUNDS, seconds: 2 },
  );
  for (const { server } of unchecked) await (server as Server<unknown>).stop();
  await service.stop();
  return new Map(
    checked.map(({ name }) => {
      const [ours, floor] = [figures(name), figures(`${name} unchecked`)];
      const byTime = ours.perSecond / floor.perSecond;
      return [name, { byTime, byCpu: ours.perCpuSecond / floor.perCpuSecond }];
    }),
  );
}
