import { BatonError } from '@baton/protocol';
import type { AgentStep } from '../chain.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$${` stands for a literal `${`. A dollar sign in front of a template such as `{{index}}` is only that. */
const VARIABLE = /\$\$\{|\$\{(?!\{)([^}]*)\}?/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

type Expanded = {
  text: string;
  problems: string[];
  /** The names of the variables in the text, also of those that are not set. */
  variables: string[];
};

/** Replaces `${VAR}` and `${VAR:-default}` of a text. `escaped` is applied to each inserted value. */
export function expandVariables(
  text: string,
  env: Environment,
  escaped: (value: string) => string = (value) => value,
): Expanded {
  const problems: string[] = [];
  const variables: string[] = [];
  const expanded = text.replaceAll(VARIABLE, (source: string, inside: string | undefined) => {
    if (inside === undefined) return '${';
    const [, name, fallback] = (source.endsWith('}') && NAME.exec(inside)) || [];
    if (name === undefined) {
      problems.push(`${source} is not a variable; write \${NAME}, or $\${ for a literal \${.`);
      return source;
    }
    variables.push(name);
    const value = env[name];
    if (fallback !== undefined) return escaped(value || fallback);
    if (value !== undefined) return escaped(value);
    problems.push(`the variable ${name} is not set; set it, or write \${${name}:-DEFAULT}.`);
    return source;
  });
  return { text: expanded, problems, variables };
}

/**
 * Replaces the variables that a step keeps as they are written, so that secrets are never stored: those of its `env` and
 * of its MCP servers. The engine calls it when the step starts, and drops the result when it ends.
 */
export function withVariables(step: AgentStep, env: Environment): AgentStep {
  const { mcpConfig } = step.options;
  return {
    ...step,
    ...(step.env ? { env: deepExpanded(step.env, env) } : {}),
    ...(typeof mcpConfig === 'object'
      ? { options: { ...step.options, mcpConfig: deepExpanded(mcpConfig, env) } }
      : {}),
  };
}

function deepExpanded<Value>(value: Value, env: Environment): Value {
  return mapStrings(value, [], (text) => {
    const { text: expanded, problems } = expandVariables(text, env);
    if (problems[0] !== undefined) throw new BatonError('usage', `Environment: ${problems[0]}`);
    return expanded;
  }) as Value;
}

/** A copy of a JSON value with each of its strings replaced; keys stay as they are. */
export function mapStrings(
  value: unknown,
  path: readonly (string | number)[],
  map: (text: string, path: readonly (string | number)[]) => string,
): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) {
    return value.map((each, index) => mapStrings(each, [...path, index], map));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapStrings(each, [...path, key], map)]),
  );
}
