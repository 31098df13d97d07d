import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { runNode } from '../support/lab.ts';
import { closeOutput, expectNoStackTrace, serverWithoutReader } from './support/closed-pipe.ts';

const resolve = createRequire(import.meta.url).resolve;

describe('a closed pipe ends a program without a stack trace', () => {
  test('the lab ends as on SIGTERM', async () => {
    const lab = await serverWithoutReader('@svc/lab/main.js');
    expect(await lab.exited).toMatchObject({ code: 0, signal: null });
    expectNoStackTrace(lab);
  });

  test('the guided tour', async () => {
    const tour = runNode(resolve('@svc/lab/demo.js'));
    await tour.line(/guided tour/);
    closeOutput(tour);
    expect(await tour.exited).toMatchObject({ code: 1, signal: null });
    expectNoStackTrace(tour);
  });
});
