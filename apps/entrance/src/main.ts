import { endOnClosedPipe, refuseOldNode } from '@svc/api/process.js';

endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
try {
  refuseOldNode();
  // Imported after the check of the Node.js version, because an unsupported version fails on these modules with an
  // unclear message.
  const { serve } = await import('./serve.ts');
  console.log(`svc ready on ${await serve()}`);
} catch (error) {
  const { message, cause } = error as Error;
  console.error(`svc: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  process.exit(1);
}
