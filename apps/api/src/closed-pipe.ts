/**
 * Keeps a reader that went away (`svc … | head`) from ending the process with a stack trace. `end` is called once,
 * for programs that would otherwise run on unheard; a command without it finishes and keeps its exit code.
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
