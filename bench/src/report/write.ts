import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../load.ts';
import { barChart } from './bar-chart.ts';
import { markdownOf, plotFile } from './markdown.ts';
import { PLOTS, type PlotName, type Report } from './report.ts';

/** Writes `results.md` and its plots to a folder. */
export function writeResults(report: Report, folder: string): void {
  mkdirSync(join(folder, 'plots'), { recursive: true });
  const rows = report.sections.flatMap((section) => section.rows);
  const drawn = (Object.keys(PLOTS) as PlotName[]).filter((name) => {
    const bars = rows.flatMap(({ plot, values }) =>
      plot?.name === name ? [{ label: plot.label, value: median(values), isOurs: plot.isOurs === true }] : [],
    );
    if (bars.length > 0) writeFileSync(join(folder, plotFile(name)), barChart(PLOTS[name], bars));
    return bars.length > 0;
  });
  writeFileSync(join(folder, 'results.md'), markdownOf(report, drawn));
}
