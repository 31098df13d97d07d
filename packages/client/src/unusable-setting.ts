export type Environment = Readonly<Record<string, string | undefined>>;

/** Error for a missing or invalid setting that a person has to correct. The message never contains the given value. */
export class UnusableSetting extends Error {
  override readonly name: string = 'UnusableSetting';
}
