const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 0 1.5rem; }
h1 { font-size: 1.25rem; }
code { overflow-wrap: anywhere; }`;

/** Tells people who came to an address without anything at it where to go; programs get an error as JSON. */
export function notFoundPage(path: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found · Baton</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Page not found</h1>
<p><code>${escaped(path)}</code></p>
<p><a href="/app/">Open Baton</a> or see the <a href="/openapi.json">API description</a>.</p>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
