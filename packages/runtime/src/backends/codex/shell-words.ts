const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh -l?c ([\s\S]+)$/;
/** A quoted part of a word, an escaped character, or a run of plain ones. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;

/** The command that Codex wraps into a login shell; as it is when it is not wrapped. */
export function unwrapShell(command: string): string {
  const script = SHELL.exec(command)?.[1];
  return (script === undefined ? undefined : unquote(script)) ?? command;
}

/** Reads one word of the shell; nothing when it is not exactly one. */
function unquote(text: string): string | undefined {
  let word = '';
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    if (!part) return undefined;
    const [, single, double, escaped, plain] = part;
    word += single ?? double?.replaceAll(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? '';
  }
  return word;
}
