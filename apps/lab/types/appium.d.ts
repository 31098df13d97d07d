/**
 * The one call the lab makes. Appium's own types are TypeScript sources for another module setting and do not
 * compile under ours.
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
  /** Milliseconds. */
  readonly shutdownTimeout: number;
  readonly throwInsteadOfExit: boolean;
  readonly logHandler: (level: string, message: string) => void;
}): Promise<{ close(): Promise<void> } | undefined>;
