import { requestPolicySchema } from '@baton/protocol';
import { z } from 'zod';

type SettingOf<Schema extends z.ZodType> = {
  schema: Schema;
  default: z.output<Schema>;
  /** One sentence for people. */
  about: string;
};

const setting = <Schema extends z.ZodType>(
  schema: Schema,
  byDefault: z.output<Schema>,
  about: string,
): SettingOf<Schema> => ({ schema, default: byDefault, about });

const days = z.number().positive().max(36_500).nullable();

/** Everything that owners can set while a daemon runs; kept in the database, the same for all daemons on it. */
export const SETTINGS = {
  'retention.raw_output_days': setting(
    days,
    14,
    'For how many days what agents really printed is kept; null keeps it for ever.',
  ),
  'retention.archived_days': setting(
    days,
    null,
    'After how many days without news an archived session is removed, with everything in it; null never.',
  ),
  'raw_output.max_bytes': setting(
    z.int().min(0),
    50 * 1024 * 1024,
    'How many bytes are kept of what the agent of one task really printed.',
  ),
  'executors.isolation': setting(
    z.enum(['none', 'bubblewrap', 'user']),
    'none',
    'What keeps agents from the rest of the machine: nothing, bubblewrap, or a Unix user of their own.',
  ),
  'executors.isolation_network': setting(
    z.boolean(),
    true,
    'Whether agents in bubblewrap can use the network.',
  ),
  'executors.unix_user': setting(
    z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/i, 'is not the name of a Unix user')
      .nullable(),
    null,
    'The Unix user that runs agents when the isolation is "user".',
  ),
  'executors.keep_open_ms': setting(
    z.int().min(0).max(86_400_000),
    0,
    'For how many milliseconds an agent is kept ready for the next prompt of its session; 0 ends it at once.',
  ),
  'executors.max_agent_processes': setting(
    z.int().min(1).max(1_000_000),
    64,
    'How many processes an agent that is kept ready may have before it is replaced, with the next prompt of its session.',
  ),
  'executors.max_awaiting_input': setting(
    z.int().min(0).max(100_000),
    50,
    'How many tasks that need input each daemon runs beside its slots; more of them use slots.',
  ),
  'requests.policy': setting(
    requestPolicySchema.nullable(),
    null,
    'What happens in new sessions to requests that nobody answers in time; null lets them wait.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The values of all settings. */
export type DaemonSettings = {
  [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']>;
};
