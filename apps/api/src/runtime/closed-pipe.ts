/**
 * Handles a closed output pipe (`svc … | head`) without a stack trace. `end` is called once, for programs that would
 * otherwise keep running without output. Without `end`, a command finishes its work and exits with its own code.
 */
export function endOnClosedPipe(end: () => void = () => undefined): void {
  let closed = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (closed) return;
      closed = true;
      end();
    });
  }
}
