import ts from 'typescript';

const { TypeFormatFlags } = ts;
const IN_FULL =
  TypeFormatFlags.NoTruncation |
  TypeFormatFlags.InTypeAlias |
  TypeFormatFlags.UseSingleQuotesForStringLiteralType;

/** @returns a module with the values of another module as data */
export function plainValues(module) {
  return Object.entries(module)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

/**
 * @returns the declarations of `file` (`packages/client/dist/wire.d.ts`) with imported types written out
 *
 * `summaryOf` returns the comment of a route in `Calls`.
 */
export function plainTypes(file, summaryOf) {
  const program = ts.createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const inFull = (type) => checker.typeToString(type, undefined, IN_FULL);
  const isExported = (node) => (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;

  const statementOf = (node) => {
    if (ts.isImportDeclaration(node)) return '';
    if (ts.isExportDeclaration(node)) return (node.exportClause?.elements ?? []).map(reexported).join('');
    if (!ts.isTypeAliasDeclaration(node)) return node.getFullText();
    if (!isExported(node)) return '';
    const type = checker.getTypeAtLocation(node.name);
    const written = node.name.text === 'Calls' ? callsOf(type) : inFull(type);
    return `${commentOf(node)}export type ${node.name.text} = ${written};\n`;
  };
  const reexported = ({ name }) => {
    let symbol = checker.getSymbolAtLocation(name);
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    return symbol.flags & ts.SymbolFlags.Value
      ? `export declare const ${name.text}: ${inFull(checker.getTypeOfSymbol(symbol))};\n`
      : `export type ${name.text} = ${inFull(checker.getDeclaredTypeOfSymbol(symbol))};\n`;
  };
  const callsOf = (calls) =>
    `{\n${checker
      .getPropertiesOfType(calls)
      .map((route) => `  /** ${summaryOf(route.name)} */\n  ${route.name}: ${partsOf(route)};\n`)
      .join('')}}`;
  const partsOf = (route) =>
    `{\n${checker
      .getPropertiesOfType(checker.getTypeOfSymbol(route))
      .map((part) => [part.name, checker.getTypeOfSymbol(part)])
      .filter(([, type]) => (type.flags & ts.TypeFlags.Unknown) === 0)
      .map(([name, type]) => `    ${name}: ${inFull(type)};\n`)
      .join('')}  }`;
  return source.statements.map(statementOf).join('');
}

function commentOf(node) {
  return node.getFullText().slice(0, node.getLeadingTriviaWidth());
}
