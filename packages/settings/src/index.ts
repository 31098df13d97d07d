export { ConfigError } from '@svc/auth-core';
export {
  type Config,
  LOG_LEVELS,
  type LogLevel,
  type MailConfig,
  type OidcConfig,
} from './environment/config.ts';
export {
  type EntranceSettings,
  type FirstEntranceSettings,
  readEntranceSettings,
} from './environment/entrance-settings.ts';
export { type LabSettings, readLabSettings, readListen } from './environment/lab-settings.ts';
export { exposureWarning, identityLine, identityUrl, posture } from './environment/posture.ts';
export { type ConfigReading, readConfig } from './environment/read-config.ts';
export { optionName, Reader, type Sources } from './environment/reader.ts';
export { type AiAddress, aiAddress } from './saved/ai-address.ts';
export { Settings, startUpSettings } from './saved/settings.ts';
