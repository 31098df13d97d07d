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

/** Colours and sizes are those of the dashboard. */
const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#f6f7f9,#0f131a);--card:light-dark(#fff,#181e28);--text:light-dark(#1a2130,#e8ecf4);--soft:light-dark(#525c70,#a7b1c5);--line:light-dark(#e1e5ec,#29313f);--accent:light-dark(#1f5fd0,#8ab4ff);--bad:light-dark(#a8172c,#ffb0ba);--bad-soft:light-dark(#fdebed,#45161e);--good:light-dark(#12683a,#86dda9);--good-soft:light-dark(#e1f5e9,#15371f);--sunken:light-dark(#eef1f6,#121720)}
body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;max-width:76rem;padding:1rem;color:var(--text);background:var(--ground)}
h1{font-size:1.25rem;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:.9375rem;margin:1.25rem 0 .5rem}
header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;margin-bottom:.75rem}a{color:var(--accent)}
.badge{border-radius:99px;padding:.0625rem .5rem;font-size:.75rem;font-weight:600;background:var(--sunken);color:var(--soft)}
.badge-passed{background:var(--good-soft);color:var(--good)}.badge-failed,.failure{background:var(--bad-soft);color:var(--bad)}
.failure{border-radius:6px;padding:.4375rem .75rem;margin:0 0 .75rem;overflow-wrap:anywhere;white-space:pre-wrap}
dl,table,figure,pre{background:var(--card);border:1px solid var(--line);border-radius:8px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0;padding:.75rem 1rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:separate;border-spacing:0;width:100%}th{color:var(--soft);font-size:.75rem}th,td{text-align:left;vertical-align:top;padding:.3125rem .75rem;border-bottom:1px solid var(--line)}
tr:last-child td{border-bottom:0}td{overflow-wrap:anywhere}td:first-child,td:nth-child(3),td:nth-child(4){white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
tr.failed td{background:var(--bad-soft);color:var(--bad)}
figure{margin:.75rem 0;padding:.75rem}figcaption{color:var(--soft)}img{max-width:100%;max-height:40rem;border-radius:6px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;padding:.5rem .75rem;font:12px/1.45 ui-monospace,monospace}summary{cursor:pointer;color:var(--soft)}
@media(max-width:40rem){dl{grid-template-columns:1fr}}
`;

export const REPORT_POLICY = `${POLICY}; frame-ancestors 'none'; sandbox`;

/**
 * Returns the beginning of an HTML page. The title is escaped here.
 * @param beside HTML to show beside the title
 */
export function pageStart(title: string, beside: string): string {
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
<header><h1>${escaped(title)}</h1>${beside}</header>
`;
}

export const PAGE_END = '</main>\n</body>\n</html>\n';
