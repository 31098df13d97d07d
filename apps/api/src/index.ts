export { buildApp } from './app.ts';
export { clientFacts } from './client-address.ts';
export { limitClients } from './client-limits.ts';
export { endOnClosedPipe } from './closed-pipe.ts';
export type { App, HttpContext } from './http-context.ts';
export { openServices, type Services, type ServicesOptions } from './services/services.ts';
export { processSources, reportSettings } from './settings.ts';
export { VERSION } from './version.ts';
