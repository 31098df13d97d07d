import ts from 'typescript';

/** Replaces every character of code, so that no phrase matches across it. */
const CODE = '\0';

const JAVA = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(\/\*[\s\S]*?\*\/|\/\/.*)/g;
const PYTHON =
  /(?<=^[^\S\n]*)("""[\s\S]*?""")|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(#.*)/gm;

/**
 * @returns the text with everything but its prose (the comments, or the paragraphs of a Markdown file) blanked.
 * Its length and line breaks are those of the original, so positions in it are positions in the file.
 */
export function proseOf(name, text) {
  if (name.endsWith('.md')) return withoutQuotes(withoutFences(text));
  return withoutMarkers(withoutQuotes(onlyRanges(text, commentsOf(name, text))));
}

/**
 * Blanks the markers of comment lines, so that a phrase matches across a line break. `/**` stays, because one of the
 * rules checks the text after it.
 */
export function withoutMarkers(text) {
  return text.replace(/^[^\S\n]*\*(?!\/)|\/\/+|^[^\S\n]*#|"""|\*\/$/gm, (marker) =>
    ' '.repeat(marker.length),
  );
}

function commentsOf(name, text) {
  if (name.endsWith('.py')) return rangesOf(PYTHON, text);
  if (name.endsWith('.java')) return rangesOf(JAVA, text);
  return typeScriptComments(name, text);
}

/**
 * Returns the ranges of the comments that a pattern captures. The pattern also matches strings, without capturing them,
 * so that comment markers in strings are ignored.
 */
function rangesOf(pattern, text) {
  return [...text.matchAll(pattern)]
    .filter((match) => match.slice(1).some((group) => group !== undefined))
    .map(({ index, 0: found }) => [index, index + found.length]);
}

/**
 * Returns the ranges of the comments. Uses the parser, because only the parser can distinguish a comment from a regular
 * expression, a template or text in JSX.
 */
function typeScriptComments(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false);
  const ranges = new Map();
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    for (const find of [ts.getLeadingCommentRanges, ts.getTrailingCommentRanges]) {
      for (const { pos, end } of find(text, node.getFullStart()) ?? []) ranges.set(pos, [pos, end]);
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...ranges.values()].sort(([one], [other]) => one - other);
}

function onlyRanges(text, ranges) {
  let prose = '';
  for (const [start, end] of ranges) {
    prose += blanked(text.slice(prose.length, start)) + text.slice(start, end);
  }
  return prose + blanked(text.slice(prose.length));
}

function withoutFences(text) {
  return text.replace(/^([^\S\n]*)(```+|~~~+)[^\n]*\n[\s\S]*?^\s*\2[^\S\n]*$/gm, blanked);
}

/** Blanks code between backticks, and the addresses that links lead to. */
function withoutQuotes(text) {
  return text.replace(/`[^`\n]+`|(?<=\])\([^()\s]*\)|https?:\/\/[^\s)>]+/g, blanked);
}

function blanked(text) {
  return text.replace(/\S/g, CODE);
}
