import MarkdownIt, { type Token } from 'markdown-it';
import type { Links } from './links.ts';
import type { Source } from './sources.ts';

interface Heading {
  readonly level: number;
  readonly text: string;
  /** Fragment that leads to the heading, as GitHub creates it. */
  readonly anchor: string;
}

/** A heading with the plain text below it, up to the next heading. */
interface Part {
  readonly heading: Heading;
  readonly text: string;
}

export interface Rendered {
  /** HTML without inline scripts and styles, which the content security policy refuses. */
  readonly html: string;
  readonly title: string;
  readonly parts: readonly Part[];
  /** Links in the list items, with the text of each, by the level-2 heading above. */
  readonly lists: ReadonlyMap<string, readonly (readonly [text: string, href: string])[]>;
}

const markdown = new MarkdownIt({ html: false, linkify: false });
const { renderer } = markdown;
// Wide tables and code scroll, so they need the keyboard's focus.
renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
renderer.rules.table_close = () => '</table></div>\n';
renderer.rules.fence = (tokens, index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`;

/** Renders the Markdown of a page. */
export function render(source: Source, links: Links): Rendered {
  const tokens = markdown.parse(source.text, {});
  for (const { children } of tokens) for (const token of children ?? []) resolveToken(token, source, links);
  for (const [index, token] of tokens.entries()) {
    alignByClass(token);
    // A table of two axes has no heading above its first column.
    const isEmpty = token.type === 'th_open' && tokens[index + 1]?.content === '';
    if (isEmpty) for (const part of [token, tokens[index + 2]]) if (part !== undefined) part.tag = 'td';
  }
  const parts = partsOf(tokens);
  return {
    html: renderer.render(tokens, markdown.options, {}),
    title: parts[0]?.heading.text ?? source.path,
    parts,
    lists: listsOf(tokens),
  };
}

function resolveToken(token: Token, source: Source, links: Links): void {
  if (token.type === 'image') {
    const src = links.resolve(source, attributeOf(token, 'src'));
    if (src === undefined)
      throw new Error(`${source.path}: the picture ${attributeOf(token, 'src')} is missing`);
    token.attrSet('src', src);
  }
  if (token.type !== 'link_open') return;
  const href = links.resolve(source, attributeOf(token, 'href'));
  // A link to a file that the site does not contain keeps its text. An `a` without an address is no link.
  token.attrs = href === undefined ? null : [['href', href]];
  if (href !== undefined && /^https?:/.test(href)) token.attrSet('rel', 'noreferrer');
}

/** @returns the value of an attribute, or an empty text if the token lacks it */
function attributeOf(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

/** Replaces the inline style of an aligned cell by a class. */
function alignByClass(token: Token): void {
  const style = token.attrGet('style');
  if (style === null) return;
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  if (style === 'text-align:right') token.attrSet('class', 'end');
}

/**
 * Gives each heading its anchor, and collects the text below each. A table row about a setting is a part of its own, so
 * that the search leads to the setting instead of a long table.
 */
function partsOf(tokens: readonly Token[]): readonly Part[] {
  const parts: { heading: Heading; text: string }[] = [];
  const known = new Map<string, number>();
  let current: (typeof parts)[number] | undefined;
  let above = current;
  const begin = (level: number, token: Token, text: string) => {
    const anchor = unique(anchorOf(text), known);
    token.attrSet('id', anchor);
    current = { heading: { level, text, anchor }, text: '' };
    parts.push(current);
  };
  for (const [index, token] of tokens.entries()) {
    const setting = token.type === 'tr_open' ? settingOf(tokens[index + 2]) : undefined;
    const isText =
      token.type === 'fence' || (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open');
    if (token.type === 'heading_open') begin(Number(token.tag.slice(1)), token, plain(tokens[index + 1]));
    else if (token.type === 'table_open') above = current;
    else if (token.type === 'table_close') current = above;
    else if (setting !== undefined && !known.has(anchorOf(setting))) begin(ROW, token, setting);
    else if (isText && current !== undefined) current.text += `${plain(token)}\n`;
  }
  return parts;
}

/** Level of the heading of a table row, below every heading of Markdown. */
const ROW = 7;

/** @returns the name of the setting with which a cell begins, or undefined if it begins with other text */
function settingOf(cell: Token | undefined): string | undefined {
  const [first] = cell?.children ?? [];
  return first?.type === 'code_inline' && /^SVC_[A-Z_]+$/.test(first.content) ? first.content : undefined;
}

/** @returns the text of a token without markup */
function plain(token: Token | undefined): string {
  if (token === undefined) return '';
  if (token.children === null || token.children.length === 0) return token.content;
  return token.children
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}

/** @returns the anchor that GitHub gives a heading */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}

function unique(anchor: string, known: Map<string, number>): string {
  const count = known.get(anchor) ?? 0;
  known.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

function listsOf(tokens: readonly Token[]): Rendered['lists'] {
  const lists = new Map<string, (readonly [string, string])[]>();
  let list: (readonly [string, string])[] | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2') {
      list = [];
      lists.set(plain(tokens[index + 1]), list);
    }
    for (const [at, child] of (token.children ?? []).entries()) {
      const href = child.type === 'link_open' ? attributeOf(child, 'href') : '';
      if (href !== '') list?.push([token.children?.[at + 1]?.content ?? '', href]);
    }
  }
  return lists;
}
