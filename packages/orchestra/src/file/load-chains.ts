import { dirname } from 'node:path';
import type { ReadInsideOptions } from '@baton/config/paths/read-inside';
import { BatonError } from '@baton/protocol';
import { agentSteps } from '../agent-steps.ts';
import type { Chain } from '../chain.ts';
import { literal } from '../templates.ts';
import { foldersElsewhere, type WidenedRight, widenedRights } from '../widened-rights.ts';
import { buildChain } from './build-chain.ts';
import { type ChainsFileSource, chainsFileSchema } from './chains-schema.ts';
import { findChainsFile, projectFolder } from './find-chains-file.ts';
import { IncludedFiles } from './included-files.ts';
import { instead, Problems } from './problems.ts';
import { readAgent } from './read-agent.ts';
import { addSchemaProblems } from './schema-problems.ts';
import { type Path, parseSource } from './source.ts';
import { type Environment, expandVariables, mapStrings } from './variables.ts';

export type LoadChainsInput = {
  /** Path of the chains file, relative to `cwd`; by default, the chains file of the folder `cwd`. */
  file?: string | undefined;
  cwd: string;
  /** The values of `${VAR}`. */
  env: Environment;
  /** Paths that a daemon does not read for its users. If set, the file must not be a link to another folder either. */
  confined?: ReadInsideOptions | undefined;
};

/** The chains of a file. */
export type LoadedChains = {
  path: string;
  /** Default folder of the agents: the folder of the file, or the one that contains `forge/orch`. */
  folder: string;
  /**
   * SHA-256 of the chains file, of every file that it refers to, and of the folders elsewhere that it leads to; trust in
   * a chains file is trust in this content.
   */
  hash: string;
  chains: Chain[];
  names: string[];
  /** Throws for an unknown name. */
  chain(name: string): Chain;
  /** Everything that a chain allows its agents beyond the defaults. */
  rights(chain: Chain): WidenedRight[];
};

/** Loads a chains file; throws with everything that is wrong with it, each with its line and column. */
export function loadChains({ file, cwd, env, confined }: LoadChainsInput): LoadedChains {
  const path = findChainsFile(file, cwd);
  const files = new IncludedFiles(dirname(path), projectFolder(path), confined);
  const text = readChainsFile(path, files, { followLinks: confined === undefined });
  const folder = projectFolder(path);
  const { chains, variables } = orTooDeep(path, () => readChains(path, text, { files, cwd, env }));
  const names = chains.map(({ name }) => name);
  return {
    path,
    folder,
    hash: files.hash(chains.flatMap((chain) => foldersElsewhere(chain, folder))),
    chains,
    names,
    chain: (name) => {
      const found = chains.find((chain) => chain.name === name);
      if (found) return found;
      throw new BatonError('usage', `Unknown chain "${name}" in ${path}.`, {
        hint: asSentence(instead(name, names, '')),
      });
    },
    rights: (chain) => widenedRights(chain, { folder, variables: variablesOf(chain, variables) }),
  };
}

function readChains(
  path: string,
  text: string,
  { files, cwd, env }: { files: IncludedFiles; cwd: string; env: Environment },
): { chains: Chain[]; variables: Variables } {
  const source = parseSource(path, text);
  const problems = new Problems({ path, text, source, cwd });
  for (const { offset, text: words } of source.problems) problems.addAt(offset, words);
  problems.throwIfAny();

  const variables: Variables = new Map();
  const expanded = expand(source.value, env, { problems, variables });
  const parsed = chainsFileSchema.safeParse(expanded);
  if (!parsed.success) addSchemaProblems(parsed.error.issues, expanded, problems);
  problems.throwIfAny();

  const chains = build(parsed.data as ChainsFileSource, { problems, files });
  problems.throwIfAny();
  return { chains, variables };
}

/** Everything that reads the file is recursive, so thousands of nested lists exhaust the stack. */
function orTooDeep<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new BatonError('config_invalid', `${path}:1:1: the file is nested too deeply.`, {
      cause,
    });
  }
}

function readChainsFile(
  path: string,
  files: IncludedFiles,
  options: { followLinks: boolean },
): string {
  try {
    return files.readChains(path, options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it does not exist' : message;
    throw new BatonError('config_invalid', `Cannot read ${path}: ${why}.`, {
      hint: 'Check the path.',
      cause,
    });
  }
}

function build(
  { agents = {}, chains }: ChainsFileSource,
  reading: { problems: Problems; files: IncludedFiles },
): Chain[] {
  const read = Object.entries(agents).map(
    ([name, agent]) => [name, readAgent(agent, ['agents', name], reading)] as const,
  );
  const known = new Map(read);
  const names = Object.keys(chains);
  if (names.length === 0) reading.problems.add(['chains'], '"chains" is empty; add a chain.');
  return Object.entries(chains).map(([name, chain]) => buildChain(name, chain, known, reading));
}

/** Keys whose strings are templates. */
const TEMPLATES = ['prompt', 'defaultPrompt', 'cwd', 'forEach', 'approve'];
/** Keys whose values are for others, whatever keys these have. */
const FOREIGN = ['outputSchema', 'settings', 'providerOptions', 'mcpConfig', 'env'];
/** Values that may be secrets stay as they are written until a step starts; see `withVariables`. */
const KEPT = ['env', 'mcpConfig'];

/** The names of variables, by the agent or chain that uses them, such as `agents.coder`. */
type Variables = Map<string, Set<string>>;

/** The variables of a chain and of the agents that it runs. */
function variablesOf(chain: Chain, variables: Variables): string[] {
  const agents = [...agentSteps(chain.steps)].map(({ step }) => `agents.${step.agent}`);
  const owners = new Set([`chains.${chain.name}`, ...agents]);
  const names = [...owners].flatMap((owner) => [...(variables.get(owner) ?? [])]);
  return [...new Set(names)].toSorted();
}

/** Replaces the variables in the strings of the file, and collects their names. */
function expand(
  value: unknown,
  env: Environment,
  { problems, variables }: { problems: Problems; variables: Variables },
): unknown {
  return mapStrings(value, [], (text, path) => {
    // The value of a variable is inserted into a template as it is, braces included.
    const expanded = expandVariables(text, env, isTemplate(path) ? literal : undefined);
    const owner = path.slice(0, 2).join('.');
    const known = variables.get(owner) ?? [];
    // What is left for the agent, such as "$${VAR}", it may replace itself.
    const left = path.some((key) => FOREIGN.includes(String(key))) ? namesIn(text) : [];
    variables.set(owner, new Set([...known, ...expanded.variables, ...left]));
    for (const problem of expanded.problems) problems.add(path, problem);
    return path[0] === 'agents' && KEPT.includes(String(path[2])) && path.length > 3
      ? text
      : expanded.text;
  });
}

/** The names of variables in a text, in any of the forms in which agents write them. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{?(?:env:)?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
}

function isTemplate(path: Path): boolean {
  const inside = path.slice(2, -1).map(String);
  return TEMPLATES.includes(String(path.at(-1))) && !inside.some((key) => FOREIGN.includes(key));
}

function asSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
