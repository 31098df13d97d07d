import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let running: RunningApp;
beforeAll(async () => {
  running = await openApp();
});
afterAll(() => running.close());

/** Names of the metrics of this service, without those of its process. */
const names = () => running.services.metrics.all.map(({ name }) => name);

it('every metric that the Grafana dashboard asks for exists', async () => {
  const asked = [...file('docs/operations/grafana-dashboard.json').matchAll(/\b(?:svc|nodejs|process)_\w+/g)];
  const { text } = await running.services.metrics.scrape();
  const ofProcess = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name as string);
  const known = new Set([...names(), ...ofProcess]);
  const missing = asked.map(([name]) => name).filter((name) => !known.has(name.replace(/_bucket$/, '')));
  expect(asked.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

it('every metric has its row in the guide', () => {
  const guide = file('docs/guides/monitoring.md');
  expect(names().length).toBeGreaterThan(20);
  expect(names().filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});
