import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { expect, it } from 'vitest';
import { SEARCH_OPTIONS, type Section } from '../src/search-options.ts';
import { addressOfFile } from '../src/site/links.ts';
import { siteOf } from '../src/site/site.ts';

const FILES = { script: 'assets/main.js', style: 'assets/main.css', index: 'assets/search.json' };
const root = fileURLToPath(new URL('../../..', import.meta.url));
const site = siteOf(root);
const documents = site.documents(FILES);
const others = new Set([...Object.values(FILES), ...site.files.map(addressOfFile)]);
const SHARED = new Set(['static/icon.svg', 'static/theme.js']);

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value as string);

it('every link of the documentation leads to a page, a heading or a file of the site (contract 9)', () => {
  const anchors = new Map(
    [...documents].map(([address, html]) => [address, new Set(attributes(html, 'id'))]),
  );
  const broken = [...documents].flatMap(([address, html]) =>
    [...attributes(html, 'href'), ...attributes(html, 'src')]
      .filter((link) => !/^(?:https?|mailto):/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? address : posix.join(posix.dirname(address), path);
        // The dashboard is one folder above the site.
        if (target === '../') return false;
        if (others.has(target) || SHARED.has(target)) return anchor !== undefined;
        return (
          anchors.get(target) === undefined || (anchor !== undefined && !anchors.get(target)?.has(anchor))
        );
      })
      .map((link) => `${address}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it('every page of the documentation can be reached from the list of pages (contract 9)', () => {
  const reached = new Set(['index.html']);
  for (const address of reached) {
    for (const link of attributes(documents.get(address) ?? '', 'href')) {
      const target = posix.join(posix.dirname(address), link.split('#')[0] as string);
      if (documents.has(target)) reached.add(target);
    }
  }
  expect([...documents.keys()].filter((address) => !reached.has(address))).toEqual([]);
});

it('a page of the documentation has no inline script or style, and loads nothing from elsewhere (contract 9)', () => {
  for (const [address, html] of documents) {
    expect(html, address).not.toMatch(
      /<style|<[^>]* style=|<[^>]* on\w+=|javascript:|<script(?![^>]*\ssrc=)/i,
    );
    expect(
      attributes(html, 'src').filter((src) => /^(?:[a-z]+:|\/)/.test(src)),
      address,
    ).toEqual([]);
    expect(html.match(/<link [^>]*href="(?:[a-z]+:|\/)/g), address).toBeNull();
  }
});

it('the pages of the documentation, their files and their search index take less than 2 MB (contract 9)', () => {
  const texts = [...documents.values(), site.searchIndex].map((text) => Buffer.byteLength(text));
  const sizes = [...texts, ...site.files.map((file) => statSync(join(root, file)).size)];
  expect(documents.size).toBeGreaterThan(50);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
});

it('the search of the documentation finds sections by prefix, by several words, and despite a typing error (contract 9)', () => {
  const search = MiniSearch.loadJSON<Section>(site.searchIndex, SEARCH_OPTIONS);
  const best = (text: string) =>
    search
      .search(text)
      .slice(0, 5)
      .map(({ address }) => String(address).split('#')[0]);
  expect(search.search('SVC_PUBLIC_URL')[0]?.address).toBe('operations/settings.html#svc_public_url');
  expect(best('webho')).toContain('guides/webhooks.html');
  expect(best('revoke leaked token')).toContain('guides/revoke-tokens.html');
  expect(best('kubernets')).toContain('guides/kubernetes.html');
  expect(best('xyzzyplugh')).toEqual([]);
});
