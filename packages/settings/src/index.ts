// Settings: each has one name, one rule and one default.
//
// `environment/` reads the variables of the environment and the options of the Appium plugin at start, and warns of those
// that cannot be used. `saved/` has the settings that an Admin changes while the server runs.
//
// Not here: what a setting does, and how saved ones are stored (store-sqlite).

export { AllowedOrigins, hostOf, parseOrigin, tryUrl } from './environment/allowed-origins.ts';
export { ConfigError } from './environment/config-error.ts';
export {
  type EntranceSettings,
  type FirstEntranceSettings,
  readEntranceSettings,
} from './environment/entrance-settings.ts';
export { type LabSettings, readLabSettings, readListen } from './environment/lab-settings.ts';
export { exposureWarning, identityLine, identityUrl, posture } from './environment/posture.ts';
export {
  type Config,
  type ConfigReading,
  LOG_LEVELS,
  type LogLevel,
  type MailConfig,
  readConfig,
} from './environment/read-config.ts';
export { optionName, Reader, type Sources } from './environment/reader.ts';
export { isUsablePassword } from './environment/usable-password.ts';
export { type AiAddress, aiAddress } from './saved/ai-address.ts';
export { LabLogo } from './saved/lab-logo.ts';
export { Settings, startUpSettings } from './saved/settings.ts';
