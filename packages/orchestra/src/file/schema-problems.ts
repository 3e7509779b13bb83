import type { z } from 'zod';
import {
  agentSchema,
  CONDITION_SCHEMAS,
  chainSchema,
  chainsFileSchema,
  inputSchema,
  STEP_SCHEMAS,
} from './chains-schema.ts';
import { instead, inWords, type Problems } from './problems.ts';
import type { Path } from './source.ts';

type Issue = z.core.$ZodIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Explanations of required keys, where the reason is not obvious. */
const REQUIRED: Readonly<Record<string, string>> = {
  maxIterations: 'a loop needs "maxIterations", the limit of its iterations.',
  chains: 'the file needs "chains", an object with at least one chain.',
};

const WORKSPACE_KEYS = ['kind', 'name', 'base', 'with_changes'];

const STEP_KEYS = Object.keys(STEP_SCHEMAS);
const CONDITION_KEYS = Object.keys(CONDITION_SCHEMAS);

/** Adds the issues that Zod found to the problems, phrased in terms of the file. */
export function addSchemaProblems(issues: readonly Issue[], root: unknown, problems: Problems) {
  const addIssue = (issue: Issue, above: Path) => {
    const path = [...above, ...issue.path] as Path;
    if (issue.code === 'invalid_union') {
      addUnion(issue, path);
      return;
    }
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) problems.add([...path, key], unknownKey(key, path), 'key');
      return;
    }
    if (issue.code === 'invalid_key') {
      problems.add(path, wordsOfName(String(path.at(-1))), 'key');
      return;
    }
    problems.add(path, wordsOf(issue, path));
  };

  const addUnion = ({ errors }: Extract<Issue, { code: 'invalid_union' }>, path: Path) => {
    const value = at(root, path);
    const kinds = isStep(path) ? STEP_KEYS : isCondition(path) ? CONDITION_KEYS : undefined;
    if (kinds) {
      const kind = kinds.findIndex((key) => hasKey(value, key));
      if (kind !== -1) {
        for (const issue of errors[kind] ?? []) addIssue(issue, path);
        return;
      }
      problems.add(path, shapeless(value, kinds));
      return;
    }
    // A branch for another type says nothing about a value of this one.
    const branch = errors.find((issues) => issues.every((issue) => !isWrongType(issue)));
    if (branch) {
      for (const issue of branch) addIssue(issue, path);
      return;
    }
    problems.add(path, `${nameOf(path)} must be ${inWords(typesOf(errors))}.`);
  };

  /** Describes a step or condition that has none of the keys that determine its kind. */
  const shapeless = (value: unknown, kinds: readonly string[]) => {
    const what = kinds === STEP_KEYS ? 'a step' : 'a condition';
    if (!isObject(value)) return `${what} must be an object.`;
    const quoted = inWords(kinds.map((each) => `"${each}"`));
    const guess = Object.keys(value)
      .map((key) => ({ key, words: instead(key, kinds, '') }))
      .find(({ words }) => words.startsWith('did you mean'));
    if (guess) return `unknown key "${guess.key}" in ${what}; ${guess.words}`;
    return `${what} needs one of the keys ${quoted}.`;
  };

  const unknownKey = (key: string, path: Path) => {
    const value = at(root, path);
    const kinds = isStep(path) ? STEP_KEYS : isCondition(path) ? CONDITION_KEYS : [];
    if (kinds.includes(key)) {
      const first = kinds.find((each) => hasKey(value, each));
      const what = kinds === STEP_KEYS ? 'a step' : 'a condition';
      return `${what} cannot have both "${first}" and "${key}"; write two.`;
    }
    const place = path.length === 0 ? '' : ` in ${nameOf(path)}`;
    return `unknown key "${key}"${place}; ${instead(key, keysAt(path, value), 'remove it.')}`;
  };

  const wordsOf = (issue: Issue, path: Path): string => {
    const name = nameOf(path);
    const value = at(root, path);
    if (value === undefined) {
      const key = String(path.at(-1));
      return REQUIRED[key] ?? `${nameOf(path.slice(0, -1))} needs "${key}".`;
    }
    switch (issue.code) {
      case 'invalid_type':
        return `${name} must be ${TYPES[issue.expected] ?? issue.expected}.`;
      case 'invalid_value':
        return `${name} must be ${inWords(issue.values.map((each) => JSON.stringify(each)))}.`;
      case 'too_small':
        if (issue.origin === 'string' || issue.origin === 'array') {
          return `${name} must not be empty.`;
        }
        return `${name} must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}.`;
      case 'too_big':
        return `${name} is too large.`;
      case 'invalid_format':
        if (path.at(-1) === 'id') return wordsOfName(String(value));
        if (path.at(-1) === 'command') return `${name} must not be empty.`;
        return `${name} must be a number of milliseconds, or a duration such as "90s", "5m" or "1h".`;
      default:
        return `${name}: ${issue.message}.`;
    }
  };

  for (const issue of issues) addIssue(issue, []);
}

/** A path as people write it, such as `chains.ship.steps[0].prompt`. */
export function nameOf(path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '') || 'the file';
}

function wordsOfName(name: string): string {
  return `"${name}" is not a valid name; use letters, digits, hyphens and underscores.`;
}

function isStep(path: Path): boolean {
  const [list, index] = path.slice(-2);
  return (
    path[0] === 'chains' &&
    typeof index === 'number' &&
    typeof list === 'string' &&
    ['steps', 'parallel', 'loop'].includes(list)
  );
}

function isCondition(path: Path): boolean {
  const key = path.findLast((part) => typeof part === 'string');
  return path[0] === 'chains' && ['if', 'until', 'not', 'all', 'any'].includes(String(key));
}

/** The keys that an object of the file may have. */
function keysAt(path: Path, value: unknown): string[] {
  const [top, , third] = path;
  if (path.at(-1) === 'workspace') return WORKSPACE_KEYS;
  const schema = (() => {
    if (path.length === 0) return chainsFileSchema;
    if (top === 'agents' && path.length === 2) return agentSchema;
    if (top === 'agents' && third === 'tools') return agentSchema.shape.tools.unwrap();
    if (top === 'chains' && path.length === 2) return chainSchema;
    if (top === 'chains' && third === 'inputs') return inputSchema;
    const schemas = isStep(path) ? STEP_SCHEMAS : CONDITION_SCHEMAS;
    return Object.entries(schemas).find(([key]) => hasKey(value, key))?.[1];
  })();
  return schema ? Object.keys(schema.shape).filter((key) => key !== '$schema') : [];
}

function typesOf(errors: readonly (readonly Issue[])[]): string[] {
  const expected = errors.flat().flatMap((issue) => {
    if (issue.code === 'invalid_type') return [TYPES[issue.expected] ?? issue.expected];
    if (issue.code === 'invalid_value') return issue.values.map((each) => JSON.stringify(each));
    return [];
  });
  return [...new Set(expected)];
}

function isWrongType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function at(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) value = isObject(value) ? value[part] : undefined;
  return value;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

function hasKey(value: unknown, key: string): boolean {
  return isObject(value) && Object.hasOwn(value, key);
}
