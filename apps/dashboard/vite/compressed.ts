import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes each script and style sheet compressed beside itself: the server sends it as it lies there. */
export function compressed(): Plugin {
  let folder = '';
  return {
    name: 'svc-compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir, build.assetsDir);
    },
    closeBundle: () => {
      // Absent after a build that has failed, which says why by itself.
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder).filter((each) => /\.(?:js|css|svg)$/.test(each))) {
        const file = join(folder, name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
        );
      }
    },
  };
}
