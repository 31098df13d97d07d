/** @returns the value of a query parameter, or undefined if it is missing or given more than once */
export function onlyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
