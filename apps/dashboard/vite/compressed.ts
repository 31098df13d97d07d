import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * Vite plugin that writes compressed copies of each script, style sheet and index, so that the server can send them
 * without compressing.
 * @param brotli whether to write copies with Brotli beside those with gzip, for browsers that use https
 */
export function compressed({ brotli }: { readonly brotli: boolean }): Plugin {
  let folder = '';
  return {
    name: 'svc-compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir, build.assetsDir);
    },
    closeBundle: () => {
      // The folder is missing if the build failed, which Vite reports itself.
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder).filter((each) => /\.(?:js|css|svg|json)$/.test(each))) {
        const file = join(folder, name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
        if (!brotli) continue;
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
        );
      }
    },
  };
}
