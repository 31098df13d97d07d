const UNITS = ['B', 'kB', 'MB', 'GB'];

/** @returns a number of bytes with three digits at most, such as `512 B`, `1.4 kB` or `120 MB` */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.floor(value)} ${UNITS[power]}`;
}
