/** Placeholder for the agent and its files in the template of compiled agents. */
export const TEMPLATE_SLOT = '/* the agent and its files */';

/** Puts the code of an agent file and the texts of the files that it names into the template. */
export function fillTemplate(
  template: string,
  /** The agent file with all that it imports, as CommonJS. */
  code: string,
  files: Readonly<Record<string, string>>,
): string {
  const agent = `function (exports, require, module, __filename, __dirname) {\n'use strict';\n${code}\n}`;
  // Not with a replacement text, in which a dollar sign has a meaning.
  return template.replace(TEMPLATE_SLOT, () => `${agent}, ${asciiJson(files)}`);
}

/** A file in ASCII takes V8 half the memory. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
