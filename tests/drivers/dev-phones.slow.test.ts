import { createRequire } from 'node:module';
import { ANDROID_12, ANDROID_14, ANDROID_TCP, IPHONE_13, IPHONE_15 } from '@svc/lab/phones';
import { expect, it } from 'vitest';
import { freshDataDir, request, runNode, signIn } from '../support/lab.ts';
import { until } from '../support/records.ts';

const UDIDS = [ANDROID_12, ANDROID_14, ANDROID_TCP].map(({ serial }) => serial);

interface Listed {
  readonly udid: string;
  readonly status: string;
}

it('a lab that is started with --phones lists scripted phones and notices when one is unplugged (contract 9)', async () => {
  const program = createRequire(import.meta.url).resolve('@svc/lab/main.js');
  const env = { PORT: '0', SVC_DATA_DIR: freshDataDir(), SVC_BCRYPT_COST: '10' };
  const lab = runNode(program, { env, args: ['--phones'] });
  const url = (await lab.line(/^svc ready on /, 120_000)).slice('svc ready on '.length);
  const control = /curl (\S+) lists/.exec(lab.output())?.[1];
  const cookie = await signIn(url);
  const phones = async () => {
    const answer = await request(`${url}/svc/api/devices`, { headers: { cookie } });
    return (await answer.json()) as Listed[];
  };
  const freePhones = (all: Listed[]) => all.filter(({ status }) => status === 'free').map(({ udid }) => udid);
  const six = await until(phones, (all) => freePhones(all).length === 6);
  expect(freePhones(six)).toEqual(expect.arrayContaining([...UDIDS, IPHONE_13.udid, IPHONE_15.udid]));

  await fetch(`${control}/unplug?serial=${ANDROID_12.serial}`, { method: 'POST' });
  await until(phones, (all) => !freePhones(all).includes(ANDROID_12.serial));
  expect(await lab.stop()).toMatchObject({ code: 0 });
});
