import { silentLog } from '@svc/auth-core/testing';
import type { Module } from '@svc/module';
import { expect, it } from 'vitest';
import { closeModules } from '../src/services/close-modules.ts';

it('a module that cannot be closed keeps no other module open, and the log names the failure', async () => {
  const ended: string[] = [];
  const moduleOf = (name: string, close = async () => void ended.push(name)): Module<null> => ({
    ...{ offers: null, handlers: {}, metrics: [] },
    schedules: [{ start: () => undefined, stop: () => void ended.push(`schedule of ${name}`) }],
    close,
  });
  const broken = moduleOf('broken', () => Promise.reject(new Error('a file is gone')));
  const log = silentLog();
  await closeModules([moduleOf('first'), broken, moduleOf('last')], log);
  expect(ended).toEqual(['schedule of last', 'last', 'schedule of broken', 'schedule of first', 'first']);
  expect(log.entries).toMatchObject([{ level: 'error', fields: { error: { message: 'a file is gone' } } }]);
});
