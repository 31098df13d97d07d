// Preloaded into Appium: its driver proxies BiDi to the server that BIDI_UPSTREAM names, as a browser's driver does.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const lab = createRequire(new URL('../package.json', import.meta.url)).resolve('@svc/lab/package.json');
const { FakeDriver } = await import(pathToFileURL(createRequire(lab).resolve('@appium/fake-driver')).href);
Object.defineProperty(FakeDriver.prototype, 'bidiProxyUrl', { get: () => process.env.BIDI_UPSTREAM ?? null });
