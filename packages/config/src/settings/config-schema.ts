import { SECTIONS } from './config-file.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from './setting-table.ts';

type JsonSchema = Record<string, unknown>;

/** `project` is `baton.json`, which may not set what only the user may; `user` is `~/.baton/config.json`. */
export type ConfigKind = 'project' | 'user';

const WORKSPACE = {
  description:
    'scripts, files, variables and ports of the workspaces of this project; used only in a trusted folder',
  type: 'object',
};
const PROJECTS = {
  description: 'your own settings of projects, by folder; they win over those of the project',
  type: 'object',
  propertyNames: { pattern: '^/' },
  additionalProperties: { type: 'object', properties: { workspace: WORKSPACE } },
};

/** The JSON Schema of a configuration file, for editors. */
export function configSchema(kind: ConfigKind): JsonSchema {
  const properties = SETTING_NAMES.flatMap((name) => {
    const setting: Setting = SETTINGS[name];
    if (setting.notInFiles) return [];
    const schema = kind === 'user' ? setting.reader.schema : projectSchema(setting);
    return schema ? [[name, { description: setting.about, ...schema }] as const] : [];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: kind === 'project' ? 'baton.json' : '~/.baton/config.json',
    description: kind === 'project' ? 'Baton settings of a project' : 'Baton settings of a user',
    type: 'object',
    properties: {
      $schema: { description: 'The path or address of this schema', type: 'string' },
      ...Object.fromEntries(properties),
      [SECTIONS[kind]]: kind === 'project' ? WORKSPACE : PROJECTS,
    },
    additionalProperties: false,
  };
}

/** The values that a project may set; undefined when it may not set any. */
function projectSchema({ reader, userOnly = [] }: Setting): Readonly<JsonSchema> | undefined {
  if (userOnly === true) return undefined;
  const { enum: values } = reader.schema;
  if (!Array.isArray(values)) return reader.schema;
  return { ...reader.schema, enum: values.filter((value) => !userOnly.includes(value)) };
}
