import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';
import type { Path, Source, SyntaxProblem } from './source.ts';

/** Parses YAML 1.2, with anchors and merge keys. */
export function parseYamlSource(text: string): Source {
  const document = parseDocument(text, { prettyErrors: false, merge: true });
  const problems = problemsOf(document);
  const { value, problem } = problems.length > 0 ? {} : valueOfDocument(document);
  return {
    value,
    problems: problem ? [problem] : problems,
    offsetOf: (path, part) => offsetIn(document, path, part),
  };
}

function problemsOf({ errors, warnings }: Document): SyntaxProblem[] {
  // The library reports every level of nesting that it has no stack for.
  if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    return [{ offset: 0, text: 'the file is nested too deeply.' }];
  }
  return [...errors, ...warnings].map(({ code, message, pos }) => ({
    offset: pos[0],
    text: code === 'DUPLICATE_KEY' ? 'duplicate key; remove one.' : `${withoutPeriod(message)}.`,
  }));
}

/** A few aliases of aliases can stand for millions of values; the library refuses to expand them. */
function valueOfDocument(document: Document): { value?: unknown; problem?: SyntaxProblem } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: { offset: 0, text: `${withoutPeriod(why)}.` } };
  }
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

function offsetIn(document: Document, path: Path, part: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const found = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(found) ? found.items.find((each) => hasKey(each, step)) : undefined;
    const next: unknown = pair ? pair.value : isSeq(found) ? found.items[Number(step)] : undefined;
    const key = startOf(pair?.key);
    const start = startOf(next) ?? key;
    if (start === undefined) return offset;
    offset = part === 'key' && index === path.length - 1 && key !== undefined ? key : start;
    node = next;
  }
  return offset;
}

function hasKey({ key }: Pair, name: string | number): boolean {
  return isScalar(key) && String(key.value) === String(name);
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}
