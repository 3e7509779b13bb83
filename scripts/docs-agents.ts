import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import type { Backend } from '@baton/engine/definition/backend';
import {
  type Capabilities,
  FEATURES,
  type Feature,
  OPTION_NAMES,
  PERMISSION_MODES,
} from '@baton/protocol';
import { conformanceCases, type Proved } from '@baton/runtime/conformance';
import { recordings, replayed } from '../packages/agents/src/testing/recordings.ts';
import { table } from './markdown-table.ts';

const baton = await createBaton({ settings: 'none' });

const BACKENDS = join(import.meta.dirname, '../packages/agents/src/backends');
const FIXTURES = join(import.meta.dirname, '../packages/agents/fixtures');

/** Kind of proof that a feature works; the strongest one is shown. */
type Proof = 'real agent' | 'recording' | 'stand-in' | 'unit test';

/** Tests with the real agent besides the conformance suite, by title. */
export const MORE_PROOFS: Readonly<Record<string, Partial<Record<Proved, string>>>> = {
  claude: {
    'tools.allowed': 'tools that the caller allowed are not asked for',
    toolFilters: 'tools that the caller allowed are not asked for',
    cost: 'a run reports version, model, session, usage, cost and context',
    plan: 'edits have their diff, commands their exit code, tasks make a plan',
    subagents: 'the events of a sub-agent have its call as parent, and its tools ask',
    budgetUsd: 'turns and budget have their limits',
  },
  codex: {
    plan: 'the plan is reported as a whole',
    subagents: 'the events of a sub-agent have its call as parent, and its tokens count',
    settings: 'settings reach Codex and win over the ones Baton sets',
    providerOptions: 'a budget in dollars is enforced when the prices are known',
    budgetUsd: 'a budget in dollars is enforced when the prices are known',
  },
  'codex-sdk': {
    ask: 'makes no edit in mode ask, and says that no one can be asked',
    auto: 'edits in the workspace in mode auto',
  },
  openclaw: {
    cost: 'a run reports its session, usage and cost',
    providerOptions: 'a session that is named is continued, whatever the case of its key',
  },
  pi: {
    cost: 'is one shot without tools and without thinking, with its tokens and cost',
    model: 'asks the model that was named, of a provider in models.json',
    'tools.allowed': 'has only the tools that the caller allowed, and they still ask',
    'tools.disallowed': 'has only the tools that the caller allowed, and they still ask',
    toolFilters: 'has only the tools that the caller allowed, and they still ask',
    providerOptions: 'thinks as hard as it is told',
    budgetUsd: 'stops the agent when the cost exceeds the budget',
  },
};

/** The tests that `MORE_PROOFS` names and that do not exist. */
export function missingProofs(): string[] {
  return Object.entries(MORE_PROOFS).flatMap(([agent, proofs]) => {
    const folder = join(BACKENDS, agent);
    const files = readdirSync(folder).filter((name) => name.endsWith('.agents.test.ts'));
    const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    return Object.values(proofs).filter(
      (title) => !texts.some((text) => text.includes(`test('${title}'`)),
    );
  });
}

/** The tables of docs/agents.md. */
export async function agentTables(): Promise<Record<string, string>> {
  const ids = [...baton.backends().map(({ id }) => id), 'acp:kimi'];
  const columns = await Promise.all(ids.map(columnOf));
  const names = columns.map(({ name }) => `\`${name}\``);
  return {
    agentFeatures: table(
      ['feature', ...names],
      FEATURES.map((feature) => [
        feature,
        ...columns.map(({ capabilities: { features }, proofOf }) => {
          if (features[feature]) return proofOf(feature);
          // Baton calculates it from the tokens.
          return feature === 'cost' && features.usage ? 'estimate' : '–';
        }),
      ]),
    ),
    agentModes: table(
      ['mode', ...names],
      PERMISSION_MODES.map((mode) => [
        `\`${mode}\``,
        ...columns.map(({ capabilities, proofOf }) =>
          capabilities.permissionModes.includes(mode) ? proofOf(mode) : 'refused',
        ),
      ]),
    ),
    agentOptions: columns.map(optionSection).join('\n\n'),
  };
}

type Column = {
  name: string;
  label: string;
  /** The name of the agent in the texts of its capabilities. */
  agent: string;
  capabilities: Capabilities;
  proofOf(proved: Proved): Proof;
};

async function columnOf(id: string): Promise<Column> {
  const backend = await baton.loadBackend(id);
  const agent = readdirSync(BACKENDS).find(
    (name) =>
      existsSync(join(BACKENDS, name, 'conformance.agents.test.ts')) &&
      baton.backend(name).id === id,
  );
  const inSuite = suiteProofs(backend, agent !== undefined);
  const more = Object.keys(agent ? (MORE_PROOFS[agent] ?? {}) : {});
  const isRecorded = agent !== undefined && existsSync(join(FIXTURES, agent));
  const recorded = isRecorded ? await recordedFeatures(agent) : new Set<string>();
  const isGeneric = id.startsWith('acp:');
  return {
    name: isGeneric ? 'acp:NAME' : id,
    label: isGeneric ? 'Any agent of the Agent Client Protocol' : backend.label,
    agent: backend.label,
    capabilities: backend.capabilities,
    proofOf(proved) {
      if (inSuite.has(proved)) return agent || id === 'demo' ? 'real agent' : 'stand-in';
      if (more.includes(proved)) return 'real agent';
      return recorded.has(proved) ? 'recording' : 'unit test';
    },
  };
}

/** Returns the features proved by the conformance cases that apply to a backend. */
function suiteProofs(backend: Backend, isReal: boolean): ReadonlySet<Proved> {
  const cases = conformanceCases({
    backend,
    failures: [],
    folderHooks: [],
    ...(isReal && {
      model: 'another',
      mcpServer: { command: '', args: [] },
      modelRequests: () => [],
    }),
    prompt: () => '',
    world: () => Promise.reject(new Error('The cases are only listed.')),
  });
  return new Set(cases.flatMap(({ skip, proves = [] }) => (skip === undefined ? proves : [])));
}

/** Returns the features that the recordings of an agent show. */
async function recordedFeatures(agent: string): Promise<ReadonlySet<string>> {
  const entry = baton.backend(agent);
  const { dialects = [] } = await entry.load();
  const seen = new Set<Feature>();
  for (const recording of recordings(agent)) {
    const { events, result } = replayed(entry, dialects, recording);
    if (result.usage) seen.add('usage');
    if (result.usage?.costUsd !== undefined) seen.add('cost');
    for (const event of events) {
      if (event.type === 'plan.updated') seen.add('plan');
      if (event.type === 'permission.requested') seen.add('permissions');
      if (event.type === 'question.requested') seen.add('questions');
      if ('parentId' in event && event.parentId !== undefined) seen.add('subagents');
    }
  }
  return seen;
}

function optionSection({ name, label, agent, capabilities, proofOf }: Column): string {
  const isGeneric = name === 'acp:NAME';
  const rows = OPTION_NAMES.map((option) => {
    const { support, how } = capabilities.options[option];
    const words = isGeneric ? how.replaceAll(agent, 'The protocol') : how;
    return [`\`${option}\``, support, words, support === 'unsupported' ? '–' : proofOf(option)];
  });
  return `### ${label}\n\n\`${name}\`\n\n${table(['option', 'support', 'how', 'proved by'], rows)}`;
}
