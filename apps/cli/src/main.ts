import { endOnClosedPipe, refuseOldNode } from '@svc/api/process.js';

/**
 * Entry point of the `svc` command. Its commands run on the server's host, except `svc proxy`, which runs on a tester's
 * machine.
 */
endOnClosedPipe();
try {
  refuseOldNode();
  const { runCli } = await import('./program.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await runCli(process.argv.slice(2), processTerminal());
} catch (error) {
  process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
