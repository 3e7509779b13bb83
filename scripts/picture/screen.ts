/** A piece of text with the colours it is shown in. */
export type Span = { text: string; codes: readonly number[] };

/** Renders the screen of a terminal after some output; supports only the sequences that `baton run` uses. */
export function screenOf(output: string): Span[][] {
  const lines: Span[][] = [];
  let line: Span[] = [];
  let codes: number[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read here
  for (const [token] of output.matchAll(/\u001b\[[0-9;?]*[A-Za-z]|\r?\n|\r|[^\u001b\r\n]+/g)) {
    if (token.endsWith('\n')) {
      lines.push(line);
      line = [];
    } else if (token.startsWith('\u001b[')) {
      if (token.endsWith('m')) codes = afterCode(codes, token);
      if (token.endsWith('K')) line = [];
    } else if (token !== '\r') {
      line.push({ text: token, codes });
    }
  }
  return [...lines, line];
}

function afterCode(codes: readonly number[], token: string): number[] {
  let now = [...codes];
  for (const code of token.slice(2, -1).split(';').map(Number)) {
    if (code === 0) now = [];
    else if (code === 22) now = now.filter((each) => each !== 1 && each !== 2);
    else if (code === 23) now = now.filter((each) => each !== 3);
    else if (code === 39) now = now.filter((each) => each < 30);
    else now.push(code);
  }
  return now;
}
