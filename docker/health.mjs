// Health check of the container. Exits with 0 if the server in it is ready, and otherwise with 1.
const url = `http://127.0.0.1:${process.env.PORT ?? 4723}/svc/api/health/ready`;
try {
  const { ok } = await fetch(url, { signal: AbortSignal.timeout(4000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
