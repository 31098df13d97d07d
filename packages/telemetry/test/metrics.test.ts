import { readFileSync } from 'node:fs';
import { counter, gauge, LatencyHistogram, single } from '@svc/module';
import { describe, expect, it } from 'vitest';
import { type Measured, metricsOf } from '../src/metrics/definitions.ts';
import { PrometheusText } from '../src/metrics/prometheus.ts';

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Names of all metrics. The services are empty, because the names are available without reading any value. */
const names = metricsOf({
  version: '1.0.0',
  core: {},
  accounts: {},
  labServices: {},
  modules: [],
  sessions: {},
  requests: { routes: [] },
  gate: () => null,
} as unknown as Measured).map(({ name }) => name);

describe('metrics', () => {
  it('every metric the dashboard asks for exists', async () => {
    const asked = [
      ...file('docs/operations/grafana-dashboard.json').matchAll(/\b(?:svc|nodejs|process)_\w+/g),
    ];
    const { text } = await new PrometheusText([]).scrape();
    const there = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name as string);
    const known = new Set([...names, ...there]);
    const missing = asked.map(([name]) => name).filter((name) => !known.has(name.replace(/_bucket$/, '')));
    expect(asked.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it('every metric has its row in the guide', () => {
    const guide = file('docs/guides/monitoring.md');
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  it('a histogram is told cumulatively, a label is escaped, one that cannot be read is left out', async () => {
    const histogram = new LatencyHistogram([0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 3]) histogram.add(seconds);
    const { text } = await new PrometheusText([
      { kind: 'histogram', name: 'svc_a', help: 'h', read: () => [{ labels: { l: 'a"\n\\' }, histogram }] },
      counter('svc_b', 'h', () => {
        throw new Error('the database is gone');
      }),
      gauge('svc_c', 'h', () => single(1)),
    ]).scrape();
    expect(text.split('\n').filter((line) => line.startsWith('svc_'))).toEqual([
      'svc_a_bucket{l="a\\"\\n\\\\",le="0.1"} 2',
      'svc_a_bucket{l="a\\"\\n\\\\",le="1"} 3',
      'svc_a_bucket{l="a\\"\\n\\\\",le="+Inf"} 4',
      'svc_a_sum{l="a\\"\\n\\\\"} 3.65',
      'svc_a_count{l="a\\"\\n\\\\"} 4',
      'svc_c 1',
    ]);
  });
});
