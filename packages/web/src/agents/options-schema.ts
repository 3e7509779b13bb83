import type { BackendRecord } from '@baton/client';
import type { Schema } from './form/schema.ts';

/** What people call the options, in the order in which they look for them; what is not here concerns single runs. */
const TITLES: Readonly<Record<string, string>> = {
  model: 'Model',
  permissionMode: 'Permission mode',
  maxTurns: 'Most turns',
  budgetUsd: 'Budget in dollars',
  transport: 'Way to talk to it',
  outputSchemaRetry: 'Ask again when the output does not fit',
  systemPrompt: 'System prompt',
  env: 'Environment variables (no secrets: everybody here can read them)',
  rawArgs: 'More arguments',
  settings: "Settings of the agent's own",
  mcpConfig: 'MCP servers',
  outputSchema: 'Schema of the output',
  tools: 'Tools',
  timeouts: 'Time limits',
  retry: 'Tries when it fails in passing',
  providerOptions: 'Only of this agent',
};

const PART_TITLES: Readonly<Record<string, string>> = {
  'tools.allowed': 'Allowed',
  'tools.disallowed': 'Not allowed',
  'timeouts.startMs': 'Until it starts, in ms',
  'timeouts.idleMs': 'Without a sign of life, in ms',
  'timeouts.totalMs': 'In all, in ms',
  'timeouts.consumerMs': 'Until events are read, in ms',
  'retry.attempts': 'How often',
  'retry.baseMs': 'First pause, in ms',
};

/** The options that an agent takes for every run, as a schema with words for people; what it does not support is left out. */
export function optionsSchemaOf(
  backend: Pick<
    BackendRecord,
    'options_schema' | 'provider_options_schema' | 'capabilities' | 'models'
  >,
  { without = [] }: { without?: readonly string[] } = {},
): Schema {
  const { properties = {} } = backend.options_schema as Schema;
  const options = backend.capabilities.options as Record<string, { support: string; how: string }>;
  const isThere = (name: string) => options[name]?.support !== 'unsupported';
  const parts = Object.keys(TITLES)
    .filter((name) => name in properties && isThere(name) && !without.includes(name))
    // One way is no choice.
    .filter((name) => name !== 'transport' || backend.capabilities.transports.length > 1)
    .map((name): [string, Schema] => {
      const part = name === 'providerOptions' ? providerSchema(backend) : (properties[name] ?? {});
      return [
        name,
        {
          ...part,
          ...(part.properties ? { properties: named(name, part.properties, isThere) } : {}),
          ...wordsFor(name, options[name]),
          ...(name === 'transport' ? { enum: backend.capabilities.transports } : {}),
          ...(name === 'model' ? suggested(backend) : {}),
          ...(name === 'systemPrompt' ? { isLong: true } : {}),
        },
      ];
    })
    .filter(([, part]) => !part.properties || Object.keys(part.properties).length > 0);
  return { type: 'object', properties: Object.fromEntries(parts) };
}

function providerSchema({
  provider_options_schema,
}: Pick<BackendRecord, 'provider_options_schema'>): Schema {
  return (provider_options_schema as Schema | null) ?? { type: 'object', properties: {} };
}

function suggested({ models }: Pick<BackendRecord, 'models'>): Schema {
  return models.length === 0 ? {} : { examples: models.map(({ id }) => id) };
}

function named(
  option: string,
  parts: Readonly<Record<string, Schema>>,
  isThere: (name: string) => boolean,
): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(parts)
      .filter(([name]) => isThere(`${option}.${name}`))
      .map(([name, part]) => [
        name,
        { ...part, title: part.title ?? PART_TITLES[`${option}.${name}`] ?? name },
      ]),
  );
}

/** How the agent does it is told in a sentence; all of it stands in the matrix of what agents can do. */
function wordsFor(name: string, option: { how: string } | undefined): Schema {
  const sentence = option?.how.split(/[.;] /)[0];
  const description = sentence && `${sentence[0]?.toUpperCase()}${sentence.slice(1)}`;
  return {
    title: TITLES[name] ?? name,
    ...(description ? { description: description.replace(/\.?$/, '.') } : {}),
  };
}
