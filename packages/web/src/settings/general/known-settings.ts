import { count } from '../../text/amounts.ts';
import { duration } from '../../text/time.ts';

/** An amount in a unit that people think in; the daemon counts in a smaller one. */
export type AmountControl = {
  kind: 'amount';
  unit: string;
  /** So many of what the daemon counts are one. */
  scale: number;
  /** A choice in place of an amount. */
  none?: { value: number | null; label: string; otherwise: string };
  /** What is offered to whoever begins to want an amount. */
  first: number;
  /** It has to be more than that; without it, at least 0. */
  above?: number;
  most?: number;
};

/** How a setting is changed. */
export type Control =
  | { kind: 'switch' }
  | AmountControl
  | { kind: 'choice'; options: readonly { value: string; label: string }[] }
  | { kind: 'text'; empty?: string }
  | { kind: 'policy' }
  | { kind: 'json' };

type Known = {
  label: string;
  control: Control;
  /** What it is for, in the words of people; that of the daemon speaks of its values. */
  about?: string;
};

/** What the daemon takes. */
const DAYS = { above: 0, most: 36_500 };
const DAY_SECONDS = 86_400;

const KNOWN: Readonly<Record<string, Known>> = {
  'retention.raw_output_days': {
    label: 'Keep raw output',
    about: 'All that agents really printed, for looking into problems. Sessions stay as they are.',
    control: {
      ...{ kind: 'amount', unit: 'days', scale: 1, first: 14, ...DAYS },
      none: { value: null, label: 'For ever', otherwise: 'For some days' },
    },
  },
  'retention.archived_days': {
    label: 'Remove archived sessions',
    about:
      'A session in the archive that had no news for so long is removed for good, with everything in it.',
    control: {
      ...{ kind: 'amount', unit: 'days', scale: 1, first: 90, ...DAYS },
      none: { value: null, label: 'Never', otherwise: 'After some days' },
    },
  },
  'raw_output.max_bytes': {
    label: 'Most raw output of a task',
    about: 'What its agent prints beyond that is not kept as it was. The session shows it anyway.',
    control: { kind: 'amount', unit: 'MB', scale: 1024 ** 2, first: 50 },
  },
  'executors.isolation': {
    label: 'Isolation of agents',
    about:
      'What keeps agents from the rest of the machine: nothing, the sandbox bubblewrap, or a Unix user of their own.',
    control: {
      kind: 'choice',
      options: [
        { value: 'none', label: 'None' },
        { value: 'bubblewrap', label: 'Bubblewrap' },
        { value: 'user', label: 'A Unix user' },
      ],
    },
  },
  'executors.isolation_network': {
    label: 'Network in bubblewrap',
    about: 'Whether agents in the sandbox can use the network. Most need it for their model.',
    control: { kind: 'switch' },
  },
  'executors.unix_user': {
    label: 'Unix user of agents',
    about: 'Who runs agents whose isolation is a Unix user.',
    control: { kind: 'text', empty: 'none' },
  },
  'executors.keep_open_ms': {
    label: 'Keep agents ready',
    about:
      'An agent that stays after a task begins the next prompt of its session sooner, and needs memory meanwhile.',
    control: {
      ...{ kind: 'amount', unit: 'seconds', scale: 1000, first: 60, above: 0, most: DAY_SECONDS },
      none: { value: 0, label: 'Not at all', otherwise: 'For some seconds' },
    },
  },
  'executors.max_agent_processes': {
    label: 'Processes of a kept agent',
    about: 'An agent that is kept ready and has more processes is replaced before its next prompt.',
    control: { kind: 'amount', unit: 'processes', scale: 1, first: 64, above: 0 },
  },
  'executors.max_awaiting_input': {
    label: 'Tasks that need input',
    about:
      'So many tasks that need input run beside the slots of each machine. More of them use slots.',
    control: { kind: 'amount', unit: 'tasks', scale: 1, first: 50 },
  },
  'requests.policy': {
    label: 'Requests that nobody answers',
    about: 'What happens in new sessions when an agent asks and no answer comes in time.',
    control: { kind: 'policy' },
  },
};

/** What a setting is called and how it is changed; one that is not known here can be changed all the same. */
export function knownSetting(name: string, byDefault: unknown): Known {
  return KNOWN[name] ?? { label: name, control: controlFor(byDefault) };
}

/** A value as people read it. */
export function shownValue(control: Control, value: unknown): string {
  if (control.kind === 'switch') return value ? 'on' : 'off';
  if (control.kind === 'policy') return policyWords(value);
  if (control.kind === 'json') return JSON.stringify(value);
  if (control.kind === 'choice') {
    return control.options.find((option) => option.value === value)?.label ?? String(value);
  }
  if (control.kind === 'text') return String(value ?? control.empty ?? 'none');
  return amountWords(control, value);
}

/** How many of its unit an amount is; very small parts are not shown. */
export function inUnits({ scale }: AmountControl, value: number): number {
  return Math.round((value / scale) * 1000) / 1000;
}

function amountWords(control: AmountControl, value: unknown): string {
  const { none, unit } = control;
  if (none && value === none.value) return none.label.toLowerCase();
  const amount = inUnits(control, Number(value));
  return `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}`.trim();
}

function controlFor(byDefault: unknown): Control {
  if (typeof byDefault === 'boolean') return { kind: 'switch' };
  if (typeof byDefault === 'number') return { kind: 'amount', unit: '', scale: 1, first: 0 };
  if (typeof byDefault === 'string') return { kind: 'text' };
  return { kind: 'json' };
}

function policyWords(value: unknown): string {
  if (value === null) return 'wait';
  const { afterMs, action } = value as { afterMs: number; action: string };
  return `${action} after ${duration(afterMs)}`;
}
