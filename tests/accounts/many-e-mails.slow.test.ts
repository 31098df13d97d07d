import { expect, it } from 'vitest';
import { ADMIN, openService } from './support/service.ts';

it('20,000 other e-mails wipe out no count (contract 4)', { timeout: 240_000 }, async () => {
  const service = await openService({ SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '5', SVC_LOG_LEVEL: 'silent' });
  const attempt = (email: string, at: number) =>
    service.ask('/auth/login', {
      json: { email, password: 'a guess' },
      from: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
    });
  let sent = 0;
  async function guess(email: string, tries: number): Promise<number[]> {
    const all: number[] = [];
    for (let count = 0; count < tries; count++) all.push((await attempt(email, sent++)).status);
    return all;
  }
  await guess(ADMIN.email, 99);
  await guess('locked@lab.test', 100);
  for (let round = 0; round < 42; round++) {
    await Promise.all(Array.from({ length: 500 }, () => attempt(`junk-${sent}@lab.test`, sent++)));
  }
  expect(await guess(ADMIN.email, 2)).toEqual([401, 429]);
  expect(await guess('locked@lab.test', 1)).toEqual([429]);
});
