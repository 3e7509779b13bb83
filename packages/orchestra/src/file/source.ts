import { extname } from 'node:path';
import { parseJsonSource } from './json-source.ts';
import { parseYamlSource } from './yaml-source.ts';

/** Keys and list positions that lead to a value. */
export type Path = readonly (string | number)[];

export type SyntaxProblem = { offset: number; text: string };

/** A parsed file that knows where its values are. */
export type Source = {
  value: unknown;
  /** Returns the offset of a value or its key; for a missing value, the offset of the value that should contain it. */
  offsetOf(path: Path, part: 'key' | 'value'): number;
  /** Syntax errors; if there are any, the value is incomplete. */
  problems: readonly SyntaxProblem[];
};

/** Parses a text as YAML, JSON with comments or JSON, by the name of its file. */
export function parseSource(path: string, text: string): Source {
  const extension = extname(path).toLowerCase();
  if (extension === '.yaml' || extension === '.yml') return parseYamlSource(text);
  return parseJsonSource(text, { comments: extension === '.jsonc' });
}
