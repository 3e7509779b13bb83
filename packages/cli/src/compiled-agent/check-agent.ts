import { similarNames } from '@baton/config/values/similar-names';
import { BatonError } from '@baton/protocol/values';
import type { AgentDefinition } from '@baton/runtime/agent';

type Field = { fits(value: unknown): boolean; what: string };

const TEXT: Field = { fits: isText, what: 'a string that is not empty' };
const TEXTS: Field = { fits: isTexts, what: 'an array of strings' };
const OBJECT: Field = { fits: isObject, what: 'an object' };
const FILE_OR_OBJECT: Field = {
  fits: (value) => isText(value) || isObject(value),
  what: 'an object, or the path of a JSON file',
};
const ABOVE_ZERO: Field = {
  fits: (value) => typeof value === 'number' && value > 0,
  what: 'a number above 0',
};

/** The name is that of a file, too. */
const NAME = /^[a-z0-9][a-z0-9._-]*$/i;

const FIELDS: Readonly<Record<keyof AgentDefinition, Field>> = {
  name: {
    fits: (value) => isText(value) && NAME.test(value),
    what: 'letters, digits, dots, hyphens and underscores',
  },
  description: TEXT,
  systemPrompt: TEXT,
  systemPromptFile: TEXT,
  prompt: TEXT,
  backend: TEXT,
  model: TEXT,
  permissionMode: {
    fits: (value) => value === 'ask' || value === 'auto',
    what: '"ask" or "auto"',
  },
  maxTurns: {
    fits: (value) => Number.isInteger(value) && Number(value) > 0,
    what: 'a whole number above 0',
  },
  tools: OBJECT,
  mcpConfig: FILE_OR_OBJECT,
  settings: FILE_OR_OBJECT,
  providerOptions: OBJECT,
  transport: TEXT,
  // The schema of a library may be a function.
  outputSchema: {
    fits: (value) => isObject(value) || typeof value === 'function',
    what: 'a JSON Schema or a Standard Schema',
  },
  timeouts: OBJECT,
  budgetUsd: ABOVE_ZERO,
  env: {
    fits: (value) =>
      isObject(value) && Object.values(value).every((item) => typeof item === 'string'),
    what: 'an object of strings',
  },
  cwd: TEXT,
  workspace: {
    fits: isWorkspace,
    what: '"worktree", "in_place", or an object with kind, name, base and with_changes',
  },
};

const TOOLS: Readonly<Record<string, Field>> = { allowed: TEXTS, disallowed: TEXTS };

/** Reads the default export of an agent file; throws an error that says what is wrong with it. */
export function checkAgent(exported: unknown): AgentDefinition {
  const agent = isObject(exported) ? exported.default : undefined;
  if (agent === undefined) {
    throw invalid(
      'The agent file has no default export.',
      'Add: export default defineAgent({ … }).',
    );
  }
  if (!isObject(agent)) {
    const hint = "Write: export default defineAgent({ name: 'my-agent', … }).";
    throw invalid('The default export of the agent file is not an agent.', hint);
  }
  checkFields(agent, FIELDS, '');
  if (isObject(agent.tools)) checkFields(agent.tools, TOOLS, 'tools.');
  if (agent.name === undefined) {
    throw invalid('The agent has no name.', "Add a name: defineAgent({ name: 'my-agent', … }).");
  }
  if (agent.systemPrompt !== undefined && agent.systemPromptFile !== undefined) {
    throw invalid('The agent has systemPrompt and systemPromptFile.', 'Keep one of them.');
  }
  return agent as unknown as AgentDefinition;
}

function checkFields(
  values: Record<string, unknown>,
  fields: Readonly<Record<string, Field>>,
  prefix: string,
): void {
  for (const [name, value] of Object.entries(values)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) throw unknownField(`${prefix}${name}`, name, Object.keys(fields));
    if (value === undefined || field.fits(value)) continue;
    if (name === 'permissionMode' && value === 'allow-all') {
      throw invalid(
        'An agent file cannot set permissionMode to "allow-all".',
        'Use "ask" or "auto" there, and --dangerously-skip-permissions when you run the agent.',
      );
    }
    throw invalid(`${prefix}${name} must be ${field.what}.`, `Fix ${prefix}${name} of the agent.`);
  }
}

function unknownField(path: string, name: string, known: readonly string[]): BatonError {
  const guesses = similarNames(name, known);
  return invalid(
    `An agent has no field "${path}".`,
    guesses.length > 0 ? `Did you mean ${guesses.join(' or ')}?` : `Fields: ${known.join(', ')}.`,
  );
}

function invalid(message: string, hint: string): BatonError {
  return new BatonError('usage', message, { hint });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isWorkspace(value: unknown): boolean {
  if (!isObject(value)) return value === 'worktree' || value === 'in_place';
  const { kind, name, base, with_changes, ...others } = value;
  const isFlag = with_changes === undefined || typeof with_changes === 'boolean';
  const areTexts = [name, base].every((each) => each === undefined || isText(each));
  return isWorkspace(kind) && !isObject(kind) && areTexts && isFlag && isEmpty(others);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
