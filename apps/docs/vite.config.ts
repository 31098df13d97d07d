import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressed } from '../dashboard/vite/compressed.ts';
import { documentation } from './src/site/plugin.ts';

const root = import.meta.dirname;

/** Oldest supported browsers: those of the dashboard. */
const BROWSERS = ['chrome123', 'edge123', 'firefox125', 'safari17.5'];

export default defineConfig({
  root,
  // All addresses in the pages are relative, so that the site works below any path.
  base: './',
  // The icon, and the script that applies the theme which was chosen in the dashboard.
  publicDir: join(root, '../dashboard/public'),
  // Without Brotli, which would save 20 kB at the first search and add 90 kB to the package.
  plugins: [documentation(join(root, '../..')), compressed({ brotli: false })],
  build: {
    target: BROWSERS,
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Vite lists the bundled packages in this file, for the licences and the bill of materials of the published
    // package.
    license: { fileName: '.vite/packages.json' },
    reportCompressedSize: false,
    rolldownOptions: { input: join(root, 'src/browser/main.ts') },
  },
});
