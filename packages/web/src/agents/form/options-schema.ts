import type { BackendRecord } from '@baton/client';
import { OPTION_WORDS, PART_WORDS } from './option-labels.ts';
import type { Schema } from './schema.ts';

/** Returns the options that an agent supports for every run, as a schema with labels. */
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
  const parts = Object.keys(OPTION_WORDS)
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
      .map(([name, part]) => {
        const { title = name, about, scale } = PART_WORDS[`${option}.${name}`] ?? {};
        const words = { title, ...(about ? { description: about } : {}) };
        return [name, { ...part, ...words, ...(scale ? { scale } : {}) }];
      }),
  );
}

/** Describes an option; without a general description, uses the first sentence of the agent's own one. */
function wordsFor(name: string, option: { how: string } | undefined): Schema {
  const { title = name, about } = OPTION_WORDS[name] ?? {};
  const sentence = option?.how.split(/[.;] /)[0];
  const how = sentence && `${sentence[0]?.toUpperCase()}${sentence.slice(1)}`.replace(/\.?$/, '.');
  const description = about ?? how;
  return { title, ...(description ? { description } : {}) };
}
