// Exports for programs on the server's host and for servers without a database. This module does not import the
// services, so that these programs do not load the database.

export { limitClients } from './clients/client-limits.ts';
export { startHasher } from './hashing/start-hasher.ts';
export { createLog } from './logging/json-log.ts';
export { commonPasswords } from './runtime/common-passwords.ts';
export { hideSettings, processSources, reportSettings } from './runtime/process-settings.ts';
export { VERSION } from './runtime/resources.ts';
export { type GateServer, gateServer, listen } from './server/gate-server.ts';
