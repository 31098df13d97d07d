import type { Config } from '@svc/settings';

/** The server that `svc doctor` examines, and how it is configured. */
export interface ExaminedServer {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** The warnings that say that a requirement is not enforced. */
  readonly unenforced: readonly string[];
  /** Base path of Appium. */
  readonly basePath: string;
  /** Address of the running server, instead of the one that the server announces. */
  readonly url?: string | undefined;
  /** File of the server's log, which is searched for secrets. */
  readonly logFile?: string | undefined;
  readonly now: number;
}
