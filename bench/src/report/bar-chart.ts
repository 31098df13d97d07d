export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly isOurs: boolean;
}

const WIDTH = 760;
const LABELS = 250;
const ROW = 30;
const TOP = 54;

/** Horizontal bars as an SVG that is readable on light and dark pages. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = (WIDTH - LABELS - 80) / most;
  const height = TOP + bars.length * ROW + 16;
  const one = LABELS + scale;
  const rows = bars.map(({ label, value, isOurs }, index) => {
    const y = TOP + index * ROW;
    const width = Math.max(1, value * scale).toFixed(1);
    return [
      `<text x="${LABELS - 10}" y="${y + 16}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABELS}" y="${y + 3}" width="${width}" height="18" rx="3" fill="${isOurs ? '#2f7de1' : '#8b949e'}"/>`,
      `<text x="${(LABELS + Number(width) + 8).toFixed(1)}" y="${y + 16}">${value.toFixed(2)}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13" fill="#6e7781">`,
    `<text x="12" y="26" font-size="15" font-weight="600">${escaped(title)}</text>`,
    `<line x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="${TOP - 6}" y2="${height - 12}" stroke="#8b949e" stroke-dasharray="3 4"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
