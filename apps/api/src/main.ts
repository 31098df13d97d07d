import { endOnClosedPipe } from './runtime/closed-pipe.ts';
import { refuseOldNode } from './runtime/node-version.ts';

endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
try {
  refuseOldNode();
  // Imported after the check, because an old release of Node.js fails on these files with an unclear message.
  const { serve } = await import('./server/serve.ts');
  console.log(`svc ready on ${await serve()}`);
} catch (error) {
  // The person at the terminal gets the message, not the stack.
  const { message, cause } = error as Error;
  console.error(`svc: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  process.exit(1);
}
