import { endOnClosedPipe, refuseOldNode } from '@svc/api/process.js';

/**
 * Entry point of the `svc` command. Its subcommands for testers run on any machine, the others only on the server's
 * host.
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
