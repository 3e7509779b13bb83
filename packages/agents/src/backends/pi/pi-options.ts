import type { ProviderOptions } from '@baton/engine/definition/backend';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { BatonError } from '@baton/protocol/values';

/** The tools of Pi that Baton can turn on. */
export const TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;
/** Those that Pi itself turns on. */
const DEFAULT_TOOLS: readonly string[] = ['read', 'bash', 'edit', 'write'];

const THINKING_LEVELS: readonly unknown[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** The options that only Pi has. */
export const PROVIDER_OPTIONS: ProviderOptions = {
  tools: {
    schema: { type: 'boolean' },
    fits: (value) => typeof value === 'boolean',
    what: 'true or false',
  },
  thinking: {
    schema: { type: 'string', enum: THINKING_LEVELS },
    fits: (value) => THINKING_LEVELS.includes(value),
    what: `one of ${THINKING_LEVELS.join(', ')}`,
  },
};

/** The session ids that Pi takes; they are part of the name of a file. */
const SESSION_ID = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;

type Options = Pick<ResolvedOptions, 'model' | 'tools' | 'providerOptions' | 'sessionId'>;

/** Refuses options that Pi cannot have, before anything starts. */
export function checkOptions(options: Options): void {
  modelOf(options);
  toolsOf(options);
  if (options.sessionId === undefined || SESSION_ID.test(options.sessionId)) return;
  throw new BatonError('usage', `"${options.sessionId}" cannot be the id of a session of Pi.`, {
    hint: 'Use letters, digits, dots, hyphens and underscores.',
  });
}

export type ModelReference = { provider: string; id: string };

/** The model, whose name has the provider in front: `anthropic/claude-3-haiku`. */
export function modelOf({ model }: Options): ModelReference {
  const at = model?.indexOf('/') ?? -1;
  if (model && at > 0 && at < model.length - 1) {
    return { provider: model.slice(0, at), id: model.slice(at + 1) };
  }
  const message = model ? `"${model}" is not a model of Pi.` : 'Pi needs a model.';
  throw new BatonError('usage', message, {
    hint: 'Name the provider and the model: anthropic/claude-3-haiku.',
  });
}

/** The tools that the caller turned on; none by default. */
export function toolsOf({ tools = {}, providerOptions = {} }: Options): string[] {
  const { allowed = [], disallowed = [] } = tools;
  const on = [...(providerOptions.tools === true ? DEFAULT_TOOLS : []), ...allowed.map(toolNamed)];
  const off = disallowed.map(toolNamed);
  return [...new Set(on)].filter((name) => !off.includes(name));
}

/** The tool of a name; agents write the names of their tools in different cases. */
function toolNamed(name: string): string {
  const tool = TOOLS.find((each) => each === name.trim().toLowerCase());
  if (tool) return tool;
  throw new BatonError('usage', `Pi has no tool "${name}".`, {
    hint: `It has: ${TOOLS.join(', ')}.`,
  });
}
