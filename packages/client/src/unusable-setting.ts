export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Error for a missing or invalid setting that the user has to correct. The message never contains the setting's value,
 * which could be a secret.
 */
export class UnusableSetting extends Error {
  override readonly name: string = 'UnusableSetting';
}
