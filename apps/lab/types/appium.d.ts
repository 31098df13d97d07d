/**
 * Type of the only function of Appium that the lab calls. Appium's own types are not used, because they are TypeScript
 * sources for another module setting and do not compile with the settings of this repository.
 */
export function main(args: {
  readonly appiumHome: string;
  readonly address: string;
  readonly port: number;
  readonly basePath: string;
  readonly usePlugins: readonly string[];
  readonly loglevel: string;
  readonly allowInsecure: readonly string[];
  readonly logNoColors: boolean;
  /** Time that Appium waits for open connections at its shutdown (ms). */
  readonly shutdownTimeout: number;
  readonly throwInsteadOfExit: boolean;
  readonly logHandler: (level: string, message: string) => void;
}): Promise<{ close(): Promise<void> } | undefined>;
