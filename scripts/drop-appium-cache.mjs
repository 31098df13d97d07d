import { dropAppiumCache } from './lib/appium-cache.mjs';

dropAppiumCache();
