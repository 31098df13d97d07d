import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type Section } from '../search-options.ts';
import { Links } from './links.ts';
import { type Rendered, render } from './markdown.ts';
import { type Group, type PageFiles, pageOf } from './page.ts';
import { INDEX, readSources } from './sources.ts';

export interface Site {
  /** Documents by their address relative to the site. */
  documents(files: PageFiles): ReadonlyMap<string, string>;
  /** Serialized index of the search. */
  readonly searchIndex: string;
  /** Paths in the repository of the other files that the pages need. */
  readonly files: readonly string[];
}

/** Renders the documentation of the repository in `root`. Always returns the same text for the same files. */
export function siteOf(root: string): Site {
  const sources = readSources(root);
  const links = new Links(root, sources);
  const pages = sources.map((source) => [source.address, render(source, links)] as const);
  const groups = groupsOf(pages);
  return {
    documents: (files) =>
      new Map(pages.map(([address, page]) => [address, pageOf(address, page, groups, files)])),
    searchIndex: searchIndexOf(pages),
    files: [...links.files].sort(),
  };
}

type Pages = readonly (readonly [address: string, page: Rendered])[];

/** Reads the navigation from the list of all pages. */
function groupsOf(pages: Pages): readonly Group[] {
  const lists = pages.find(([address]) => address === INDEX)?.[1].lists ?? new Map();
  return [...lists].map(([name, links]) => ({
    name,
    links: links.map(([text, href]: readonly [string, string]) => [text, posix.normalize(href)] as const),
  }));
}

function searchIndexOf(pages: Pages): string {
  const sections = pages.flatMap(([address, { title, parts }]) =>
    parts.map(({ heading, text }, index) => ({
      heading: heading.text,
      page: index === 0 ? '' : title,
      address: index === 0 ? address : `${address}#${heading.anchor}`,
      text,
    })),
  );
  const search = new MiniSearch<Section>(SEARCH_OPTIONS);
  search.addAll(sections.map((section, id) => ({ id, ...section })));
  return JSON.stringify(search);
}
