import { kindOf, type Schema, takesWords } from './schema.ts';

export type Parsed = { value: unknown; mistake?: undefined } | { mistake: string };

/** Formats the values of a text field and parses its text. */
type Codec = {
  write(value: unknown): string;
  read(text: string): Parsed;
  /** Short description of the format. */
  hint: string;
};

const LINES: Codec = {
  hint: 'One per line.',
  write(value) {
    const lines = value as string[];
    const isPlain = lines.every((line) => line.trim() === line && /^[^[\n\r][^\n\r]*$/.test(line));
    return isPlain ? lines.join('\n') : JSON.stringify(lines);
  },
  read(text) {
    if (text.startsWith('[')) return readJson(text);
    return { value: linesOf(text) };
  },
};

const PAIRS: Codec = {
  hint: 'NAME=value, one per line.',
  write(value) {
    const pairs = Object.entries(value as Record<string, string>);
    const isPlain = pairs.every(
      ([name, each]) =>
        /^[^{=\s][^=\s]*$/.test(name) && each.trim() === each && !/[\n\r]/.test(each),
    );
    if (!isPlain) return JSON.stringify(value);
    return pairs.map(([name, each]) => `${name}=${each}`).join('\n');
  },
  read(text) {
    if (text.startsWith('{')) return readJson(text);
    const pairs = new Map<string, string>();
    for (const line of linesOf(text)) {
      const sign = line.indexOf('=');
      if (sign < 1) return { mistake: `Expected NAME=value, got "${line}".` };
      const name = line.slice(0, sign).trim();
      if (pairs.has(name)) return { mistake: `${name} is set twice.` };
      pairs.set(name, line.slice(sign + 1).trim());
    }
    return { value: Object.fromEntries(pairs) };
  },
};

/** Returns the codec for the values of a schema. */
export function codecFor(schema: Schema): Codec {
  const kind = kindOf(schema);
  if (kind === 'lines') return LINES;
  if (kind === 'pairs') return PAIRS;
  return takesWords(schema) ? WORDS_OR_JSON : JSON_ONLY;
}

const JSON_ONLY: Codec = {
  hint: 'JSON.',
  write: (value) => JSON.stringify(value, null, 2),
  read: readJson,
};

const WORDS_OR_JSON: Codec = {
  hint: 'Text or JSON.',
  write(value) {
    const isWords =
      typeof value === 'string' && value.trim() === value && 'mistake' in readJson(value);
    return isWords ? value : JSON.stringify(value, null, 2);
  },
  read(text) {
    const read = readJson(text);
    return read.mistake === undefined ? read : { value: text.trim() };
  },
};

function readJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { mistake: 'Invalid JSON.' };
  }
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n\r]+/)
    .map((line) => line.trim())
    .filter(Boolean);
}
