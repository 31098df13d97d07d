// What a program on the server's host, or a server without a database, needs. It does not load the services.
export { clientFacts } from './client-address.ts';
export { limitClients } from './client-limits.ts';
export { startHasher } from './hashing/start-hasher.ts';
export { type GateServer, gateServer, listen } from './host/gate-server.ts';
export { createLog } from './json-log.ts';
export { metricsOfGate } from './metrics/definitions.ts';
export { type KeyPair, pairHeaders } from './nodes/pair-headers.ts';
export { commonPasswords } from './passwords/common-passwords.ts';
export { VERSION } from './resources.ts';
export { processSources, reportSettings } from './settings.ts';
export { loadTelemetry } from './telemetry/load.ts';
export type { Telemetry } from './telemetry/telemetry.ts';
