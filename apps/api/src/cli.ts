/** `svc`: commands for the host of the server, and the proxy for a tester's own machine. Each loads only its own. */
if (process.argv[2] === 'proxy') {
  const { processIo, runProxy } = await import('@svc/client/proxy');
  process.exitCode = await runProxy(process.argv.slice(3), process.env, processIo());
} else {
  const { runHostCommand } = await import('./host-commands.ts');
  process.exitCode = await runHostCommand(process.argv.slice(2));
}
