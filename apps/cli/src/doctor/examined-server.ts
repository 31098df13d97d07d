import type { Config } from '@svc/settings';

/** Server that `svc doctor` examines, and its configuration. */
export interface ExaminedServer {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** Warnings about requirements in the settings that are not enforced. */
  readonly unenforced: readonly string[];
  /** Base path of Appium. */
  readonly basePath: string;
  /** Address of the running server, if it differs from the one that the server announces in its lock file. */
  readonly url?: string | undefined;
  /** Log file of the server, in which `svc doctor` searches for secrets. */
  readonly logFile?: string | undefined;
  readonly now: number;
}
