import { endOnClosedPipe } from './closed-pipe.ts';
import { refuseOldNode } from './node-version.ts';
import { startSmall } from './small-heap.ts';

endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
try {
  refuseOldNode();
  const settle = startSmall();
  // Not before: an old release fails on what these files import, with a message that helps nobody.
  const { serve } = await import('./serve.ts');
  console.log(`svc ready on ${await serve()}`);
  settle();
} catch (error) {
  // The person at the terminal gets the message, not the stack.
  const { message, cause } = error as Error;
  console.error(`svc: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  process.exit(1);
}
