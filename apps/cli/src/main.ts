import { endOnClosedPipe, refuseOldNode } from '@svc/api/process.js';

/** The `svc` command: commands for the server's host, and a proxy for a tester's machine. */
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
