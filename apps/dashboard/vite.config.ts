import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from './vite/compressed.ts';
import { pageShells } from './vite/page-shells.ts';
import { routeTable } from './vite/route-table.ts';

const root = import.meta.dirname;

/** Oldest supported browsers: those of the last two years, which have `light-dark()` and `popover`. */
const BROWSERS = ['chrome123', 'edge123', 'firefox125', 'safari17.5'];

const shells = pageShells(root);
/** HTML documents in the root folder, which are used unchanged. */
const documents = readdirSync(root)
  .filter((file) => file.endsWith('.html'))
  .map((file) => join(root, file));

export default defineConfig({
  root,
  // All addresses in the pages are relative, so that the pages work below the path of a reverse proxy.
  base: './',
  plugins: [shells.plugin, routeTable(), compressed({ brotli: true })],
  build: {
    target: BROWSERS,
    outDir: 'dist',
    emptyOutDir: true,
    // No file is inlined, because an inlined file becomes a `data:` address, which the pages' Content-Security-Policy
    // refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // Vite lists the bundled packages in this file, for the licences and the bill of materials of the published
    // package.
    license: { fileName: '.vite/packages.json' },
    reportCompressedSize: false,
    rolldownOptions: { input: [...shells.files, ...documents] },
  },
});
