import { PERMISSION_MODES } from '@baton/protocol/values';

/** Reads one setting from the text of a flag or variable, or the value of a file; `undefined` when it makes no sense. */
export type ValueReader<Value> = {
  read(raw: unknown): Value | undefined;
  /** Description of the expected value, for the error message. */
  expected: string;
  /** JSON Schema of the values that `read` takes from a file. */
  schema: Readonly<Record<string, unknown>>;
  /** Formats the value as a user would write it; as JSON by default. */
  write?(value: Value): string;
};

/** The text between two commas; a comma in parentheses belongs to the item. */
const LIST_ITEM = /(?:\([^)]*\)|[^,])+/g;
/** A name and a path, as `paths` reads them from a text. */
const PATH_PAIR = '\\s*[^\\s=,][^=,]*=\\s*[^\\s,][^,]*';
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export const text: ValueReader<string> = {
  read: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
  expected: 'a string',
  schema: { type: 'string', minLength: 1 },
};

export const count: ValueReader<number> = {
  read: (raw) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined;
  },
  expected: 'a whole number',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^\\s*\\d+\\s*$' },
    ],
  },
};

export const positiveInteger: ValueReader<number> = {
  read: (raw) => count.read(raw) || undefined,
  expected: 'a whole number greater than 0',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^\\s*0*[1-9]\\d*\\s*$' },
    ],
  },
};

export const money: ValueReader<number> = {
  read: (raw) => {
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
  },
  expected: 'a number greater than 0',
  schema: {
    anyOf: [
      { type: 'number', exclusiveMinimum: 0 },
      {
        type: 'string',
        pattern: '^\\s*\\+?(?=[\\d.]*[1-9])(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$',
      },
    ],
  },
};

/** Milliseconds; a bare number means seconds. */
export const duration: ValueReader<number> = {
  read: (raw) => {
    const text = typeof raw === 'number' ? String(raw) : raw;
    const match =
      typeof text === 'string' ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) : null;
    if (!match) return undefined;
    const value = Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
    return Number.isFinite(value) ? value : undefined;
  },
  expected: 'a duration such as 90, 90s, 5m or 1h',
  schema: {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)?\\s*$' },
    ],
  },
  write: (value) => {
    const fits = (unit: string) => value > 0 && value % (UNITS[unit] ?? 1) === 0;
    const unit = value === 0 ? 's' : (['h', 'm', 's'].find(fits) ?? 'ms');
    return `${value / (UNITS[unit] ?? 1)}${unit}`;
  },
};

export const milliseconds: ValueReader<number> = {
  read: (raw) => count.read(raw),
  expected: 'a number of milliseconds',
  schema: count.schema,
};

export const list: ValueReader<string[]> = {
  read: (raw) => {
    if (Array.isArray(raw)) return raw.every((item) => typeof item === 'string') ? raw : undefined;
    if (typeof raw !== 'string') return undefined;
    const items = raw.match(LIST_ITEM) ?? [];
    return items.map((item) => item.trim()).filter((item) => item !== '');
  },
  expected: 'a list such as Read,Edit',
  schema: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
};

export const paths: ValueReader<Record<string, string>> = {
  read: (raw) => {
    const pairs = typeof raw === 'string' ? raw.split(',').map(pairOf) : entriesOf(raw);
    const fits = pairs?.every(([name, path]) => name && typeof path === 'string' && path);
    return pairs && fits ? (Object.fromEntries(pairs) as Record<string, string>) : undefined;
  },
  expected: 'NAME=PATH pairs such as claude=/opt/claude,codex=/opt/codex',
  schema: {
    anyOf: [
      {
        type: 'object',
        propertyNames: { minLength: 1 },
        additionalProperties: { type: 'string', minLength: 1 },
      },
      { type: 'string', pattern: `^${PATH_PAIR}(,${PATH_PAIR})*$` },
    ],
  },
};

export const commands: ValueReader<Record<string, string>> = {
  read: paths.read,
  expected: 'NAME=COMMAND pairs such as mine=my-agent --acp',
  schema: paths.schema,
};

/** Shell commands contain commas and equal signs, so a variable can have them as JSON. */
export const shellCommands: ValueReader<Record<string, string>> = {
  read: (raw) => {
    if (typeof raw !== 'string' || !raw.trimStart().startsWith('{')) return paths.read(raw);
    try {
      return paths.read(JSON.parse(raw));
    } catch {
      return undefined;
    }
  },
  expected: 'a JSON object such as {"startup": "notify-send started"}',
  schema: paths.schema,
};

/** The runner has a variable for the program of one agent only. */
export const pathOfClaude: ValueReader<Record<string, string>> = {
  read: (raw) => (typeof raw === 'string' && raw !== '' ? { claude: raw } : undefined),
  expected: 'a path',
  schema: text.schema,
};

function pairOf(item: string): [string, string | undefined] {
  const at = item.indexOf('=');
  return at === -1 ? [item, undefined] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

function entriesOf(raw: unknown): [string, unknown][] | undefined {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
    ? Object.entries(raw)
    : undefined;
}

export const yesOrNo: ValueReader<boolean> = {
  read: (raw) => {
    if (typeof raw === 'boolean') return raw;
    if (typeof raw !== 'string') return undefined;
    if (['1', 'true', 'yes', 'on'].includes(raw.toLowerCase())) return true;
    return ['0', 'false', 'no', 'off', ''].includes(raw.toLowerCase()) ? false : undefined;
  },
  expected: 'true or false',
  schema: {
    anyOf: [
      { type: 'boolean' },
      {
        type: 'string',
        pattern: `^([01]|${['true', 'yes', 'on', 'false', 'no', 'off'].map(inAnyCase).join('|')})?$`,
      },
    ],
  },
};

/** A pattern for a word in capitals or not. */
function inAnyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
}

export const permissionMode: ValueReader<(typeof PERMISSION_MODES)[number]> = {
  read: (raw) => PERMISSION_MODES.find((mode) => mode === raw),
  expected: `one of ${PERMISSION_MODES.join(', ')}`,
  schema: { type: 'string', enum: PERMISSION_MODES },
};
