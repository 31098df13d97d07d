export { buildApp } from './app.ts';
export { clientFacts } from './client-address.ts';
export { type Deps, type DepsOptions, openDeps } from './deps.ts';
export type { App, Host } from './host.ts';
export { VERSION } from './version.ts';
