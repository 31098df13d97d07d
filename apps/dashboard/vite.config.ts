import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from './vite/compressed.ts';
import { pageShells } from './vite/page-shells.ts';
import { routeTable } from './vite/route-table.ts';

const root = import.meta.dirname;

/** Browsers of the last two years: `light-dark()`, `popover` and Trusted Types where they exist. */
const BROWSERS = ['chrome123', 'edge123', 'firefox125', 'safari17.5'];

const shells = pageShells(root);
/** Documents without a script. */
const documents = readdirSync(root)
  .filter((file) => file.endsWith('.html'))
  .map((file) => join(root, file));

export default defineConfig({
  root,
  // Every address is relative, so that the pages work below the path of a proxy.
  base: './',
  plugins: [shells.plugin, routeTable(), compressed()],
  build: {
    target: BROWSERS,
    outDir: 'dist',
    emptyOutDir: true,
    // An inlined file would be a `data:` address, which the policy of the pages refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // For the licences and the bill of materials of the package that carries the pages.
    license: { fileName: '.vite/packages.json' },
    reportCompressedSize: false,
    rolldownOptions: { input: [...shells.files, ...documents] },
  },
});
