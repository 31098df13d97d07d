import { counter, gauge, LatencyHistogram, single } from '@svc/module';
import { describe, expect, it } from 'vitest';
import { PrometheusText } from '../src/metrics/prometheus.ts';

describe('metrics', () => {
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
