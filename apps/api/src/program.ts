import { endOnClosedPipe } from './runtime/closed-pipe.ts';
import { refuseOldNode } from './runtime/node-version.ts';

endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
try {
  refuseOldNode();
  // The server is imported after the check of the Node.js version, because an old release of Node.js fails on its files
  // with an unclear message.
  const { serve } = await import('./server/serve.ts');
  console.log(`svc ready on ${await serve()}`);
} catch (error) {
  // Prints only the message of the error, because its stack would not help the person at the terminal.
  const { message, cause } = error as Error;
  console.error(`svc: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  process.exit(1);
}
