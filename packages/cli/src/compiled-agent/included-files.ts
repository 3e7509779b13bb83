import { BatonError } from '@baton/protocol/values';
import type { AgentDefinition } from '@baton/runtime/agent';

/** The texts of files that `baton compile` included, by the paths that the agent has for them. */
export type IncludedFiles = Readonly<Record<string, string>>;

/** An agent whose texts and settings are here, and not in other files. */
export type WholeAgent = Omit<AgentDefinition, 'systemPromptFile' | 'mcpConfig' | 'settings'> & {
  mcpConfig?: Exclude<AgentDefinition['mcpConfig'], string>;
  settings?: Exclude<AgentDefinition['settings'], string>;
};

export type FileField = { field: 'systemPromptFile' | 'mcpConfig' | 'settings'; path: string };

/** The files that an agent names, which are relative to the agent file. */
export function filesOf({ systemPromptFile, mcpConfig, settings }: AgentDefinition): FileField[] {
  const fields = Object.entries({ systemPromptFile, mcpConfig, settings });
  return fields.flatMap(([field, path]) =>
    typeof path === 'string' ? [{ field: field as FileField['field'], path }] : [],
  );
}

/** Puts the included files in the place of their paths. */
export function withFiles(agent: AgentDefinition, files: IncludedFiles): WholeAgent {
  const { systemPromptFile, systemPrompt, mcpConfig, settings, ...rest } = agent;
  const textOf = (path: string) => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (text !== undefined) return text;
    throw new BatonError('usage', `The file "${path}" is not part of this program.`, {
      hint: 'The agent had another path when it was compiled. Compile it again, or use a constant path.',
    });
  };
  return {
    ...rest,
    systemPrompt: systemPromptFile === undefined ? systemPrompt : textOf(systemPromptFile),
    mcpConfig: typeof mcpConfig === 'string' ? JSON.parse(textOf(mcpConfig)) : mcpConfig,
    settings: typeof settings === 'string' ? JSON.parse(textOf(settings)) : settings,
  };
}
