import { BatonError } from '@baton/protocol/values';
import { type OptionTable, type Parsed, textOf } from '../arguments/command.ts';
import { style } from '../view/style.ts';
import { DAEMON_OPTIONS } from './with-daemon.ts';

const DEFAULT_LIMIT = 50;
const MOST = 1000;

/** The options of commands that list something. */
export const LIST_OPTIONS: OptionTable = {
  json: { type: 'boolean', about: 'print the list as JSON' },
  limit: {
    type: 'string',
    short: 'n',
    value: 'N',
    about: `maximum number of rows (${DEFAULT_LIMIT})`,
  },
  ...DAEMON_OPTIONS,
};

/** Returns the maximum number of items to list. */
export function limitOf(parsed: Parsed): number {
  return countOf(parsed, 'limit', 1) ?? DEFAULT_LIMIT;
}

/** The number that an option has. */
export function countOf(parsed: Parsed, name: string, least: number): number | undefined {
  const text = textOf(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= MOST)
    return value;
  throw new BatonError(
    'usage',
    `--${name} must be a number from ${least} to ${MOST}, not "${text}".`,
  );
}

/** Says that there is more than was listed. */
export function moreLine({ total, data }: { total: number; data: readonly unknown[] }): string {
  if (total <= data.length) return '';
  return style(process.stdout, 'dim', `… and ${total - data.length} more; --limit shows them\n`);
}
