import { endOnClosedPipe } from './closed-pipe.ts';
import { refuseOldNode } from './node-version.ts';

/** `svc`: commands for the host of the server, and the proxy for a tester's own machine. */
endOnClosedPipe();
try {
  refuseOldNode();
  const { runCli } = await import('./cli/program.ts');
  const { processTerminal } = await import('./cli/terminal.ts');
  process.exitCode = await runCli(process.argv.slice(2), processTerminal());
} catch (error) {
  process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
