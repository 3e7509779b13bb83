import { BatonError, type RunOptions, runOptionsSchema } from '@baton/protocol';
import { checkProviderOptions, checkSupported, loadBackend } from '@baton/runtime';
import type { Records } from '@baton/store';
import { inputError } from '../../service/input-error.ts';

export type Options = Readonly<Record<string, unknown>>;

/** What belongs to a session or a prompt cannot be the same for all; MCP servers are kept elsewhere, with their secrets. */
const defaultsSchema = runOptionsSchema.omit({
  cwd: true,
  permissionMode: true,
  resume: true,
  fork: true,
  sessionId: true,
  images: true,
  mcpConfig: true,
});

/** The options of an agent that tasks get which do not say otherwise. */
export async function defaultOptions(records: Records, backend: string): Promise<Options> {
  const row = await records.settings.get(rowName(backend));
  return row ? (JSON.parse(row.value) as Options) : {};
}

/** Keeps the default options of an agent in place of those before; nothing removes them. */
export async function keepDefaultOptions(
  records: Records,
  backend: string,
  { options, now }: { options: Options | null; now: number },
): Promise<void> {
  const name = rowName(backend);
  const given = withoutNulls(options ?? {});
  if (Object.keys(given).length === 0) {
    await records.settings.remove({ name });
    return;
  }
  const value = JSON.stringify(await checked(backend, given));
  await records.settings.put({ name, value, updated_at: now });
}

/** The options of a task: its own, and the defaults of its agent for what it does not name; null stands for neither. */
export function withDefaults(own: Options, defaults: Options): Options {
  const merged = Object.fromEntries(
    IN_PARTS.filter((name) => isObject(own[name]) && isObject(defaults[name])).map((name) => [
      name,
      withoutNulls({ ...(defaults[name] as object), ...(own[name] as object) }),
    ]),
  );
  return withoutNulls({ ...defaults, ...own, ...merged });
}

/** Every name in these is an option of its own. */
const IN_PARTS = ['env', 'providerOptions', 'timeouts'] as const satisfies (keyof RunOptions)[];

/** As the agent itself would refuse them, but before any task is. */
async function checked(id: string, options: Options): Promise<RunOptions> {
  const parsed = defaultsSchema.safeParse(options);
  if (!parsed.success) throw inputError('data.options', defaultsSchema, parsed.error);
  const backend = await loadBackend(id);
  checkSupported(backend, parsed.data);
  const { providerOptions } = backend;
  if (providerOptions) checkProviderOptions(backend, providerOptions, parsed.data);
  else if (parsed.data.providerOptions) {
    throw new BatonError('usage', `${backend.label} has no options of its own.`);
  }
  return parsed.data;
}

function rowName(backend: string): string {
  return `backends.${backend}.options`;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}
