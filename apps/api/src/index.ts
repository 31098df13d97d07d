export { type App, buildApp, type Host } from './app.ts';
export { type Deps, type DepsOptions, openDeps } from './deps.ts';
export { VERSION } from './version.ts';
