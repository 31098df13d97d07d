/**
 * Error for a setting that cannot be used. The server does not start if its default for the setting would be unsafe.
 * Otherwise it starts and logs a warning.
 */
export class ConfigError extends Error {
  /**
   * Text after the message in the warning, such as `using the default`. It is used if the server starts in spite of the
   * error.
   */
  readonly consequence: string;

  constructor(message: string, consequence = 'using the default') {
    super(message);
    this.consequence = consequence;
  }
}
