import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { texts } from '../src/texts/en.ts';

/** Creates a document for each folder of `src/pages`. They differ only in the title and the script. */
export function pageShells(root: string): { readonly files: readonly string[]; readonly plugin: Plugin } {
  const template = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
  const documents = new Map(
    readdirSync(join(root, 'src/pages')).map((page) => {
      const title = titleOf(page as keyof typeof texts.pages);
      return [join(root, `${page}.html`), template.replace('{title}', title).replace('{page}', page)];
    }),
  );
  return {
    files: [...documents.keys()],
    plugin: {
      name: 'svc-page-shells',
      resolveId: (id) => (documents.has(id) ? id : undefined),
      load: (id) => documents.get(id),
    },
  };
}

function titleOf(page: keyof typeof texts.pages): string {
  if (texts.pages[page] === undefined) throw new Error(`texts.pages has no title of ${page}`);
  return `${texts.pages[page]} · ${texts.product}`;
}
