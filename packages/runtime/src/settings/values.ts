import { PERMISSION_MODES } from '@baton/protocol';

/** Reads one setting from the text of a flag or variable, or the value of a file; `undefined` when it makes no sense. */
export type ValueReader<Value> = {
  read(raw: unknown): Value | undefined;
  /** What is expected, for the error message. */
  expected: string;
  /** The value as one would write it down; as JSON unless told. */
  write?(value: Value): string;
};

/** What stands between two commas; a comma in parentheses belongs to the item. */
const LIST_ITEM = /(?:\([^)]*\)|[^,])+/g;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export const text: ValueReader<string> = {
  read: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
  expected: 'a text',
};

export const count: ValueReader<number> = {
  read: (raw) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined;
  },
  expected: 'a whole number',
};

export const positiveInteger: ValueReader<number> = {
  read: (raw) => count.read(raw) || undefined,
  expected: 'a whole number above 0',
};

export const money: ValueReader<number> = {
  read: (raw) => {
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
  },
  expected: 'an amount above 0',
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
  expected: 'a time such as 90, 90s, 5m or 1h',
  write: (value) => {
    const fits = (unit: string) => value > 0 && value % (UNITS[unit] ?? 1) === 0;
    const unit = value === 0 ? 's' : (['h', 'm', 's'].find(fits) ?? 'ms');
    return `${value / (UNITS[unit] ?? 1)}${unit}`;
  },
};

export const milliseconds: ValueReader<number> = {
  read: (raw) => count.read(raw),
  expected: 'a number of milliseconds',
};

export const list: ValueReader<string[]> = {
  read: (raw) => {
    if (Array.isArray(raw)) return raw.every((item) => typeof item === 'string') ? raw : undefined;
    if (typeof raw !== 'string') return undefined;
    const items = raw.match(LIST_ITEM) ?? [];
    return items.map((item) => item.trim()).filter((item) => item !== '');
  },
  expected: 'a list such as Read,Edit',
};

export const yesOrNo: ValueReader<boolean> = {
  read: (raw) => {
    if (typeof raw === 'boolean') return raw;
    if (typeof raw !== 'string') return undefined;
    if (['1', 'true', 'yes', 'on'].includes(raw.toLowerCase())) return true;
    return ['0', 'false', 'no', 'off', ''].includes(raw.toLowerCase()) ? false : undefined;
  },
  expected: 'true or false',
};

export const permissionMode: ValueReader<(typeof PERMISSION_MODES)[number]> = {
  read: (raw) => PERMISSION_MODES.find((mode) => mode === raw),
  expected: `one of ${PERMISSION_MODES.join(', ')}`,
};
