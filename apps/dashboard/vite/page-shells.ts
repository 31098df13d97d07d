import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { texts } from '../src/texts/en.ts';

/**
 * Vite plugin that creates an HTML document for each folder of `src/pages`. The documents differ only in the title and
 * the page that they mount.
 */
export function pageShells(root: string): { readonly files: readonly string[]; readonly plugin: Plugin } {
  const template = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
  const documents = new Map(
    pageNames(root).map((page) => {
      const title = `${texts.pages[page]} · ${texts.product}`;
      return [join(root, `${page}.html`), template.replace('{title}', title).replaceAll('{page}', page)];
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

type PageName = keyof typeof texts.pages;

/** Returns the names of the folders in `src/pages`. Throws if a page has no title or a title has no page. */
function pageNames(root: string): readonly PageName[] {
  const folders = readdirSync(join(root, 'src/pages'));
  const titles = Object.keys(texts.pages);
  const [folder] = folders.filter((name) => !titles.includes(name));
  if (folder !== undefined) throw new Error(`texts.pages has no title of src/pages/${folder}`);
  const [title] = titles.filter((name) => !folders.includes(name));
  if (title !== undefined)
    throw new Error(`texts.pages has a title of ${title}, and src/pages has no such folder`);
  return folders as PageName[];
}
