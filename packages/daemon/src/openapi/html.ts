/** Text that is safe in HTML already. */
export type Html = { readonly html: string };
type Part = string | number | Html | undefined | false | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes HTML of a template; whatever is put in is escaped, unless it was made here too. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: String.raw({ raw: texts }, ...parts.map(safe)) };
}

function safe(part: Part): string {
  if (part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(safe).join('');
  if (typeof part === 'object') return (part as Html).html;
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
