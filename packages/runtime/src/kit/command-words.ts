/** The words of a command line; quotes keep spaces together, and nothing else is special. */
export function commandWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
