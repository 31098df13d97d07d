import { relativeTo } from './links.ts';
import type { Rendered } from './markdown.ts';
import { INDEX } from './sources.ts';

/** A group of the navigation. The addresses are relative to the site. */
export interface Group {
  readonly name: string;
  readonly links: readonly (readonly [text: string, address: string])[];
}

/** Addresses, relative to the site, of the files that each page loads. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
  readonly index: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** @returns the HTML document of a page */
export function pageOf(
  address: string,
  { html, title, parts }: Rendered,
  groups: readonly Group[],
  files: PageFiles,
): string {
  const to = (target: string) => escaped(relativeTo(address, target));
  const site = relativeTo(address, INDEX).slice(0, -INDEX.length);
  const name = address === INDEX ? title : `${title} · Documentation`;
  const chapters = parts.filter(({ heading: { level } }) => level === 2).map(({ heading }) => heading);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)}</title>
<link rel="icon" href="${to('static/icon.svg')}" type="image/svg+xml">
<script src="${to('static/theme.js')}"></script>
<link rel="stylesheet" href="${to(files.style)}">
<script type="module" src="${to(files.script)}"></script>
</head>
<body>
<a class="skip-link" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${to(INDEX)}"><img src="${to('static/icon.svg')}" alt="" width="28" height="28">Documentation</a>
<search>
<label for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" data-site="${site}" data-index="${to(files.index)}">
<div id="found" hidden><p role="status"></p><ul></ul></div>
</search>
<a class="to-pages" href="#pages">Pages</a>
<a href="${site}../">Dashboard</a>
</header>
<main id="content" tabindex="-1">
${html}</main>
${chapters.length < 3 ? '' : `<nav class="chapters" aria-label="On this page">\n<h2>On this page</h2>\n${list(chapters.map(({ text, anchor }) => [text, `#${anchor}`]))}\n</nav>`}
<nav class="pages" id="pages" aria-label="Pages">
${groups
  .map(
    ({ name, links }) =>
      `<h2>${escaped(name)}</h2>\n${list(
        links.map(([text, target]) => [text, relativeTo(address, target)]),
        relativeTo(address, address),
      )}`,
  )
  .join('\n')}
</nav>
</body>
</html>
`;
}

function list(links: readonly (readonly [text: string, href: string])[], current?: string): string {
  const items = links.map(
    ([text, href]) =>
      `<li><a href="${escaped(href)}"${href === current ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}
