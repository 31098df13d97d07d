// Preloaded into a lab. Its driver proxies every command directly to the device, as real drivers do.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const lab = createRequire(new URL('../package.json', import.meta.url)).resolve('@svc/lab/package.json');
const { FakeDriver } = await import(pathToFileURL(createRequire(lab).resolve('@appium/fake-driver')).href);
FakeDriver.prototype.proxyActive = () => true;
