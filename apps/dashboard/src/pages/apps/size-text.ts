const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** @returns a number of bytes as text with at most one decimal, such as `41.2 MB` */
export function sizeText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const format = { style: 'unit', unit: UNITS[power], maximumFractionDigits: 1 } as const;
  const unitDisplay = power === 0 ? 'long' : 'short';
  return new Intl.NumberFormat(undefined, { ...format, unitDisplay }).format(bytes / 1_000 ** power);
}
