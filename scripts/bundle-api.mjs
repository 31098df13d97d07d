import { bundleApi } from './lib/bundle-api.mjs';

await bundleApi();
