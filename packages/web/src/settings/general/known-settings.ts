import { count } from '../../text/amounts.ts';
import { duration } from '../../text/time.ts';

/** An amount in a unit for display; the daemon uses a smaller unit. */
export type AmountControl = {
  kind: 'amount';
  unit: string;
  /** The factor between the displayed unit and the unit of the daemon. */
  scale: number;
  /** An alternative to an amount, such as "Forever". */
  none?: { value: number | null; label: string; otherwise: string };
  /** The value offered first when the setting is turned on. */
  first: number;
  /** Exclusive minimum; without it, the minimum is 0. */
  above?: number;
  most?: number;
};

/** The form control of a setting. */
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
  /** A description for users, instead of the daemon's, which describes its values. */
  about?: string;
};

/** Limits that the daemon accepts. */
const DAYS = { above: 0, most: 36_500 };
const DAY_SECONDS = 86_400;

const KNOWN: Readonly<Record<string, Known>> = {
  'retention.raw_output_days': {
    label: 'Keep raw output',
    about: 'Raw agent output for debugging. Transcripts are kept either way.',
    control: {
      ...{ kind: 'amount', unit: 'days', scale: 1, first: 14, ...DAYS },
      none: { value: null, label: 'Forever', otherwise: 'For a number of days' },
    },
  },
  'retention.archived_days': {
    label: 'Delete archived sessions',
    about: 'Permanently delete archived sessions after this long without activity.',
    control: {
      ...{ kind: 'amount', unit: 'days', scale: 1, first: 90, ...DAYS },
      none: { value: null, label: 'Never', otherwise: 'After a number of days' },
    },
  },
  'raw_output.max_bytes': {
    label: 'Raw output limit per task',
    about: 'Raw output past this limit is dropped. The transcript still shows it.',
    control: { kind: 'amount', unit: 'MB', scale: 1024 ** 2, first: 50 },
  },
  'executors.isolation': {
    label: 'Agent isolation',
    about:
      'Isolates agents from the rest of the machine: none, a bubblewrap sandbox, or a separate Unix user.',
    control: {
      kind: 'choice',
      options: [
        { value: 'none', label: 'None' },
        { value: 'bubblewrap', label: 'Bubblewrap' },
        { value: 'user', label: 'Unix user' },
      ],
    },
  },
  'executors.isolation_network': {
    label: 'Network access in bubblewrap',
    about: 'Lets sandboxed agents use the network. Most agents need it to reach their model.',
    control: { kind: 'switch' },
  },
  'executors.unix_user': {
    label: 'Unix user for agents',
    about: 'Account used when isolation is “Unix user”.',
    control: { kind: 'text', empty: 'none' },
  },
  'executors.variables': {
    label: 'Variables for isolated agents',
    about:
      'Names of environment variables of the daemon that isolated agents get beside the usual ones. A name may end in “*”.',
    control: { kind: 'json' },
  },
  'executors.keep_open_ms': {
    label: 'Keep agents warm',
    about:
      'Keeps the agent process alive after a task so follow-ups start faster. Uses memory while idle.',
    control: {
      ...{ kind: 'amount', unit: 'seconds', scale: 1000, first: 60, above: 0, most: DAY_SECONDS },
      none: { value: 0, label: 'Off', otherwise: 'For a number of seconds' },
    },
  },
  'executors.max_agent_processes': {
    label: 'Process limit of a warm agent',
    about: 'A warm agent with more processes than this is restarted before its next prompt.',
    control: { kind: 'amount', unit: 'processes', scale: 1, first: 64, above: 0 },
  },
  'executors.max_awaiting_input': {
    label: 'Tasks that need input',
    about:
      'How many tasks awaiting input do not count against a machine’s slots. Further ones occupy a slot.',
    control: { kind: 'amount', unit: 'tasks', scale: 1, first: 50 },
  },
  'requests.policy': {
    label: 'Unanswered requests',
    about: 'Default for new sessions when a request times out.',
    control: { kind: 'policy' },
  },
};

/** The label and control of a setting; an unknown one can still be changed. */
export function knownSetting(name: string, byDefault: unknown): Known {
  return KNOWN[name] ?? { label: name, control: controlFor(byDefault) };
}

/** Formats a value for display. */
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

/** Converts an amount to the displayed unit, rounded to three decimals. */
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
  const { after_ms, action } = value as { after_ms: number; action: string };
  return `${action} after ${duration(after_ms)}`;
}
