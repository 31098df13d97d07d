import { runCli } from './cli/program.ts';
import { processTerminal } from './cli/terminal.ts';
import { endOnClosedPipe } from './closed-pipe.ts';

/** `svc`: commands for the host of the server, and the proxy for a tester's own machine. */
endOnClosedPipe();
process.exitCode = await runCli(process.argv.slice(2), processTerminal());
