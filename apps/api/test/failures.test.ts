import { Unavailable } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { RequestMeasures } from '@svc/telemetry';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import type { HttpContext } from '../src/http/http-context.ts';
import { errorHandler } from '../src/plugins/errors.ts';

it.each([
  ['503s while the database is gone', new Unavailable('the database is gone'), 503],
  ['500s', new Error('a mistake of ours'), 500],
])('%s fill no log (contract 1)', async (_name, error, status) => {
  const log = silentLog();
  const app = Fastify();
  const services = {
    log,
    clock: fakeClock(0),
    audit: {},
    modules: { refusals: { offers: { refusals: {} } } },
    metrics: { requests: new RequestMeasures() },
  };
  app.setErrorHandler(errorHandler({ services } as unknown as HttpContext));
  app.get('/', () => {
    throw error;
  });
  for (let request = 0; request < 320; request += 1) {
    expect((await app.inject('/')).statusCode).toBe(status);
  }
  expect(log.messages('error')).toHaveLength(300);
  await app.close();
});
