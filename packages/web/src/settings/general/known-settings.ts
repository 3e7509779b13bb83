import { bytes } from '../../text/amounts.ts';
import { duration } from '../../text/time.ts';

/** How a setting is changed. */
export type Control =
  | { kind: 'switch' }
  | { kind: 'number'; unit: string; empty?: string; readable?: (value: number) => string }
  | { kind: 'choice'; options: readonly { value: string; label: string }[] }
  | { kind: 'text'; empty?: string }
  | { kind: 'policy' }
  | { kind: 'json' };

type Known = { label: string; control: Control };

const KNOWN: Readonly<Record<string, Known>> = {
  'retention.raw_output_days': {
    label: 'Keep what agents printed',
    control: { kind: 'number', unit: 'days', empty: 'for ever' },
  },
  'retention.archived_days': {
    label: 'Remove archived sessions',
    control: { kind: 'number', unit: 'days', empty: 'never' },
  },
  'raw_output.max_bytes': {
    label: 'Most of what one task printed',
    control: { kind: 'number', unit: 'bytes', readable: bytes },
  },
  'executors.isolation': {
    label: 'Isolation of agents',
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
    control: { kind: 'switch' },
  },
  'executors.unix_user': {
    label: 'Unix user of agents',
    control: { kind: 'text', empty: 'none' },
  },
  'executors.keep_open_ms': {
    label: 'Keep agents ready',
    control: { kind: 'number', unit: 'milliseconds', readable: duration },
  },
  'requests.policy': {
    label: 'Requests that nobody answers',
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
  if (value === null) return control.empty ?? 'none';
  if (control.kind === 'text') return String(value);
  return control.readable?.(Number(value)) ?? `${value} ${control.unit}`;
}

function controlFor(byDefault: unknown): Control {
  if (typeof byDefault === 'boolean') return { kind: 'switch' };
  if (typeof byDefault === 'number') return { kind: 'number', unit: '' };
  if (typeof byDefault === 'string') return { kind: 'text' };
  return { kind: 'json' };
}

function policyWords(value: unknown): string {
  if (value === null) return 'wait';
  const { afterMs, action } = value as { afterMs: number; action: string };
  return `${action} after ${duration(afterMs)}`;
}
