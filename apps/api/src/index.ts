export type { LocalLab } from '@svc/device-lab';
export { limitClients } from './clients/client-limits.ts';
export type { App, HttpContext } from './http/http-context.ts';
export { leveledLog } from './logging/leveled-log.ts';
export { endOnClosedPipe } from './runtime/closed-pipe.ts';
export { refuseOldNode } from './runtime/node-version.ts';
export { hideSettings, processSources, reportSettings } from './runtime/process-settings.ts';
export { VERSION } from './runtime/resources.ts';
export { appiumGateOptions } from './server/gate-options.ts';
export { LaterSite } from './server/later-site.ts';
export {
  openAccountServices,
  openServices,
  type Services,
  type ServicesOptions,
} from './services/services.ts';
