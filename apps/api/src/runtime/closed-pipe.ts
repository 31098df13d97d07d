/**
 * Prevents a crash with a stack trace when the reader of the output closes the pipe (`svc … | head`). Without `end`,
 * the program keeps running and exits with its own code.
 * @param end called once when a pipe is closed, to stop a program that would otherwise run forever
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
