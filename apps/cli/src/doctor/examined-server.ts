import type { Config } from '@svc/settings';

/** Server that `svc doctor` examines, and its configuration. */
export interface ExaminedServer {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** Those of the warnings that are about a variable that was set to enforce a check but does not enforce it. */
  readonly unenforced: readonly string[];
  /** Base path of Appium. */
  readonly basePath: string;
  /** Address of the running server, if it differs from the one that the server announces in its lock file. */
  readonly url?: string | undefined;
  /** Log file of the server, in which `svc doctor` searches for secrets. */
  readonly logFile?: string | undefined;
  readonly now: number;
}
