// Preloaded into a lab: its driver proxies every command straight to the device, as real ones do.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const lab = createRequire(new URL('../package.json', import.meta.url)).resolve('@svc/lab/package.json');
const { FakeDriver } = await import(pathToFileURL(createRequire(lab).resolve('@appium/fake-driver')).href);
FakeDriver.prototype.proxyActive = () => true;
