import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { addressOfFile } from './links.ts';
import { siteOf } from './site.ts';

/** Vite plugin that adds the pages, their files and the index of the search to the build of the script. */
export function documentation(root: string): Plugin {
  return {
    name: 'svc-documentation',
    apply: 'build',
    generateBundle(_options, bundle) {
      const names = Object.keys(bundle);
      const named = (extension: string) => {
        const found = names.find((name) => name.endsWith(extension));
        if (found === undefined) throw new Error(`the build has no file *${extension}`);
        return found;
      };
      const site = siteOf(root);
      const index = this.emitFile({ type: 'asset', name: 'search.json', source: site.searchIndex });
      const files = { script: named('.js'), style: named('.css'), index: this.getFileName(index) };
      for (const [fileName, source] of site.documents(files))
        this.emitFile({ type: 'asset', fileName, source });
      for (const path of site.files) {
        const source = readFileSync(join(root, path));
        this.emitFile({ type: 'asset', fileName: addressOfFile(path), source });
      }
    },
  };
}
