/**
 * Returns text in which all characters with a meaning in HTML are escaped. It is safe in elements and in quoted
 * attributes.
 */
export function escaped(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => ENTITIES[character] ?? '�');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Content security policy of the report. It forbids scripts and network access. The report needs neither, because its
 * pictures and styles are embedded in the page.
 */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem;color:#1c2024;background:#fff}
h1,h2{line-height:1.2}h2{margin-top:2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #c8ccd0}
td{overflow-wrap:anywhere}td:first-child,td:nth-child(3),td:nth-child(4){white-space:nowrap}
tr.failed td{background:#fdecec;color:#7a1212}
figure{margin:1rem 0}img{max-width:100%;max-height:40rem;border:1px solid #c8ccd0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;font:13px/1.4 ui-monospace,monospace}
@media(prefers-color-scheme:dark){body{color:#e6e8ea;background:#16181a}th,td,img{border-color:#4a4f55}tr.failed td{background:#3d1717;color:#ffc9c9}}
@media(max-width:40rem){dl{grid-template-columns:1fr}}
`;

export const REPORT_POLICY = `${POLICY}; frame-ancestors 'none'; sandbox`;

/** Returns the beginning of an HTML page. The title is escaped here. */
export function pageStart(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
`;
}

export const PAGE_END = '</main>\n</body>\n</html>\n';
