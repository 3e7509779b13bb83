import { statSync } from 'node:fs';

/** Shell syntax that makes a command do more than its first words say. */
const SEVERAL_COMMANDS = /[;&|<>`\n\r]|\$\(/;

/** The words of a command line; quotes keep spaces together, and nothing else is special. */
export function commandWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}

/** The program of a command line and its arguments. The path of an existing program may have spaces without quotes. */
export function programWords(line: string): string[] {
  const path = pathWithSpaces(line.trim());
  return path === undefined
    ? commandWords(line)
    : [path, ...commandWords(line.trim().slice(path.length))];
}

/** False when a shell would run more than one command, or redirect one: a rule for the first words must not match then. */
export function isSingleCommand(command: string): boolean {
  return !SEVERAL_COMMANDS.test(command);
}

/** The longest beginning of a line that is the absolute path of a file, if it has spaces. */
function pathWithSpaces(line: string): string | undefined {
  if (!line.startsWith('/')) return undefined;
  const ends = [...line.matchAll(/\s+|$/g)].map(({ index }) => index).toReversed();
  const path = ends.map((end) => line.slice(0, end)).find(isFile);
  return path !== undefined && /\s/.test(path) ? path : undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
