import { PERMISSION_MODES } from '@baton/protocol';

/** Reads one setting from the text of a flag or variable, or the value of a file; `undefined` when it makes no sense. */
export type ValueReader<Value> = {
  read(raw: unknown): Value | undefined;
  /** What is expected, for the error message. */
  expected: string;
};

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export const text: ValueReader<string> = {
  read: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
  expected: 'a text',
};

export const positiveInteger: ValueReader<number> = {
  read: (raw) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
      ? value
      : undefined;
  },
  expected: 'a whole number above 0',
};

export const count: ValueReader<number> = {
  read: (raw) => (raw === 0 || raw === '0' ? 0 : positiveInteger.read(raw)),
  expected: 'a whole number',
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
    if (typeof raw === 'number') return Number.isFinite(raw) && raw >= 0 ? raw * 1000 : undefined;
    const match =
      typeof raw === 'string' ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(raw.trim()) : null;
    if (!match) return undefined;
    return Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
  },
  expected: 'a time such as 90, 90s, 5m or 1h',
};

export const milliseconds: ValueReader<number> = {
  read: (raw) => count.read(raw),
  expected: 'a number of milliseconds',
};

export const list: ValueReader<string[]> = {
  read: (raw) => {
    if (Array.isArray(raw)) return raw.every((item) => typeof item === 'string') ? raw : undefined;
    if (typeof raw !== 'string') return undefined;
    return raw
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
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
