import { requestPolicyRecordSchema } from '@baton/protocol';
import { MAX_PROMPT } from '@baton/protocol/wire';
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
    'Days to keep the raw output of agents; null keeps it forever.',
  ),
  'retention.archived_days': setting(
    days,
    null,
    'Days without activity after which an archived session is deleted permanently; null disables deletion.',
  ),
  'raw_output.max_bytes': setting(
    z.int().min(0),
    50 * 1024 * 1024,
    'Maximum bytes of raw agent output stored per task.',
  ),
  'executors.isolation': setting(
    z.enum(['none', 'bubblewrap', 'user']),
    'none',
    'Isolation of agents from the rest of the machine: none, bubblewrap, or a separate Unix user.',
  ),
  'executors.isolation_network': setting(
    z.boolean(),
    true,
    'Whether agents in bubblewrap can use the network.',
  ),
  'executors.unix_user': setting(
    z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/i, 'is not a valid Unix user name')
      .nullable(),
    null,
    'The Unix user that runs agents when the isolation is "user".',
  ),
  'executors.variables': setting(
    z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, 'is not the name of a variable'))
      .max(100),
    [],
    "Names of the daemon's environment variables that isolated agents get beside the usual ones; a name may end in *.",
  ),
  'executors.keep_open_ms': setting(
    z.int().min(0).max(86_400_000),
    0,
    'Milliseconds to keep an agent warm for the next prompt of its session; 0 disables it.',
  ),
  'executors.max_agent_processes': setting(
    z.int().min(1).max(1_000_000),
    64,
    'Maximum number of processes of a warm agent; with more, it is restarted before the next prompt.',
  ),
  'executors.max_awaiting_input': setting(
    z.int().min(0).max(100_000),
    50,
    'Number of tasks awaiting input per daemon that do not occupy a slot.',
  ),
  'prompts.max_length': setting(
    z.int().min(1000).max(MAX_PROMPT),
    1_000_000,
    'Maximum number of characters of a prompt.',
  ),
  'requests.policy': setting(
    requestPolicyRecordSchema.nullable(),
    null,
    'Policy for unanswered requests in new sessions; null waits indefinitely.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The values of all settings. */
export type DaemonSettings = {
  [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']>;
};
