import ts from 'typescript';

/**
 * Returns the titles of the tests in a file and their positions, those of `describe` excluded. Uses the parser, because
 * in `it.each(rows)('title', …)` only the parser can tell whose title it is.
 */
export function testTitles(name, text) {
  const titles = [];
  const visit = (node) => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    if (title !== undefined && isText(title) && /^(?:it|test)$/.test(calledBy(node)))
      titles.push({ at: title.getStart(source), title: title.getText(source).slice(1, -1) });
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false);
  visit(source);
  return titles;
}

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** @returns the first name of what a call calls: `it` for `it.each(rows)(…)` */
function calledBy(call) {
  let called = call.expression;
  while (!ts.isIdentifier(called)) {
    const inner = called.expression ?? called.tag;
    if (inner === undefined) return '';
    called = inner;
  }
  return called.text;
}
