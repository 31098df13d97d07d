import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { runNode } from '../support/lab.ts';
import { closeOutput, expectNoStackTrace, serverWithoutReader } from './support/closed-pipe.ts';

const resolve = createRequire(import.meta.url).resolve;

describe('a closed pipe ends a program without a stack trace', () => {
  test('the API alone, which may have nothing to write before its end', async () => {
    const server = await serverWithoutReader('@svc/api/main.js');
    server.child.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0, signal: null });
    expectNoStackTrace(server);
  });

  test('svc --help finishes and keeps its exit code', async () => {
    const cli = resolve('@svc/cli/main.js');
    const program = runNode(cli, { args: ['--help'] });
    closeOutput(program);
    expect(await program.exited).toMatchObject({ code: 0, signal: null });
    expect(program.output()).toBe('');
  });
});
