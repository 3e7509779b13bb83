import type { Baton } from '@baton/agents/registry/baton';
import { type RunOptions, runOptionsSchema } from '@baton/protocol';
import type { Records } from '@baton/store';
import { checkOptions } from './check-agent-options.ts';

export type Options = Readonly<Record<string, unknown>>;

/**
 * Options without those of a session or a prompt, which cannot be shared, and without MCP servers, which are stored
 * elsewhere with their secrets.
 */
const defaultsSchema = runOptionsSchema.omit({
  cwd: true,
  permissionMode: true,
  resume: true,
  fork: true,
  sessionId: true,
  images: true,
  mcpConfig: true,
});

/** Returns the default options of an agent, for tasks that do not set their own. */
export async function defaultOptions(records: Records, backend: string): Promise<Options> {
  const row = await records.settings.get(rowName(backend));
  return row ? (JSON.parse(row.value) as Options) : {};
}

/** Replaces the default options of an agent; null or empty options remove them. */
export async function keepDefaultOptions(
  { records, baton }: { records: Records; baton: Baton },
  backend: string,
  { options, now }: { options: Options | null; now: number },
): Promise<void> {
  const name = rowName(backend);
  const given = withDefaults(options ?? {}, {});
  if (Object.keys(given).length === 0) {
    await records.settings.remove({ name });
    return;
  }
  const value = JSON.stringify(await checkOptions(baton, backend, given, defaultsSchema));
  await records.settings.put({ name, value, updated_at: now });
}

/** The options of a task: its own, and the defaults of its agent for the others; null means no default. */
export function withDefaults(own: Options, defaults: Options): Options {
  const parts = IN_PARTS.filter((name) => isObject(own[name]));
  const merged = parts.map((name) => [
    name,
    withoutNulls({ ...part(defaults, name), ...part(own, name) }),
  ]);
  return withoutNulls({ ...defaults, ...own, ...Object.fromEntries(merged) });
}

/** Every name in these is a separate option. */
const IN_PARTS = ['env', 'providerOptions', 'timeouts'] as const satisfies (keyof RunOptions)[];

function rowName(backend: string): string {
  return `backends.${backend}.options`;
}

function part(options: Options, name: string): object {
  const value = options[name];
  return isObject(value) ? (value as object) : {};
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}
