import { COMPLETION_MARKER } from '@baton/contracts/marker';
import { BatonError } from '@baton/protocol';
import type { Scope, StepValue } from './scope.ts';
import { valueAt } from './value-at.ts';

const STEP_FIELDS = ['output', 'structured', 'outcome'] as const;
type StepField = (typeof STEP_FIELDS)[number];

/** Target of an expression in a template. */
export type Reference =
  | { kind: 'input'; name: string }
  | { kind: 'step'; step: string; field: StepField; path: string[] }
  | { kind: 'previous'; field: StepField; path: string[] }
  | { kind: 'item'; path: string[] }
  | { kind: 'index' | 'iteration' | 'marker' }
  | { kind: 'invalid'; problem: string };

/** An expression as it is written, such as `{{inputs.goal}}`, and where it begins in the template. */
export type Expression = { source: string; offset: number; reference: Reference };

/** `{{{{` stands for two literal braces. A brace in front of an expression is literal, so `{{{item}}}` is an item in braces. */
const EXPRESSION = /\{\{\{\{|\{\{(?!\{)([^{}]*)(\}\})?/g;

const FIRST_WORDS =
  'inputs.NAME, steps.ID.output, previous.output, item, index, iteration or marker';

/** Replaces the expressions of a template by their values. Inserted values are never rendered again. */
export function render(template: string, scope: Scope): string {
  return partsOf(template)
    .map((part) => (typeof part === 'string' ? part : textOf(resolved(part, scope))))
    .join('');
}

/**
 * Returns the list that a template renders to: its value if that is an array, its text parsed as a JSON array, or the
 * non-empty lines of its text.
 */
export function renderList(template: string, scope: Scope): unknown[] {
  const [only, ...others] = partsOf(template.trim());
  if (only === undefined || typeof only === 'string' || others.length > 0) {
    return listIn(render(template, scope));
  }
  const value = resolved(only, scope);
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null) {
    throw new BatonError('usage', `${only.source} is an object, not a list.`, {
      hint: 'Name the list inside of it, such as {{steps.plan.structured.files}}.',
    });
  }
  return listIn(textOf(value));
}

/** The expressions of a template, to check them before it is rendered. */
export function references(template: string): Expression[] {
  return partsOf(template).filter((part) => typeof part !== 'string');
}

/** Returns the text of a template without expressions, with its braces rendered; undefined if it has expressions. */
export function plainText(template: string): string | undefined {
  const parts = partsOf(template);
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined;
}

/** A text that renders as itself. */
export function literal(text: string): string {
  return text.replaceAll('{{', '{{{{');
}

function partsOf(template: string): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let end = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    const [source, inside, close] = match;
    if (match.index > end) parts.push(template.slice(end, match.index));
    end = match.index + source.length;
    parts.push(
      inside === undefined
        ? '{{'
        : { source, offset: match.index, reference: referenceOf(inside.trim(), close) },
    );
  }
  if (end < template.length) parts.push(template.slice(end));
  return parts;
}

function referenceOf(inside: string, close: string | undefined): Reference {
  if (close === undefined) return invalid('has no closing }}');
  const [first = '', ...rest] = inside.split('.');
  if (rest.some((word) => word.trim() === '')) return invalid('has an empty name between dots');
  const [name, field, ...path] = rest;
  switch (first) {
    case 'inputs':
      if (name === undefined || rest.length > 1) return invalid('must be {{inputs.NAME}}');
      return { kind: 'input', name };
    case 'steps':
      if (name === undefined) return invalid('must be {{steps.ID.output}}');
      return fieldOf(`steps.${name}`, field, path, (of) => ({ kind: 'step', step: name, ...of }));
    case 'previous':
      return fieldOf('previous', name, rest.slice(1), (of) => ({ kind: 'previous', ...of }));
    case 'item':
      return { kind: 'item', path: rest };
    case 'index':
    case 'iteration':
    case 'marker':
      return rest.length === 0 ? { kind: first } : invalid(`must be {{${first}}}`);
    default:
      return invalid(`refers to nothing that exists; write ${FIRST_WORDS}`);
  }
}

function fieldOf(
  owner: string,
  field: string | undefined,
  path: string[],
  make: (of: { field: StepField; path: string[] }) => Reference,
): Reference {
  const known = STEP_FIELDS.find((each) => each === field);
  if (!known || (known !== 'structured' && path.length > 0)) {
    return invalid(
      `must be {{${owner}.output}}, {{${owner}.structured}} with a path, or {{${owner}.outcome}}`,
    );
  }
  return make({ field: known, path });
}

function invalid(problem: string): Reference {
  return { kind: 'invalid', problem };
}

function resolved({ source, reference }: Expression, scope: Scope): unknown {
  if (reference.kind === 'invalid') {
    throw new BatonError('usage', `${source} ${reference.problem}.`, {
      hint: 'Write {{{{ for two literal braces.',
    });
  }
  const value = lookUp(reference, scope);
  if (value !== undefined) return value;
  throw new BatonError('usage', `${source} has no value.`, {
    hint: 'Check the name, and that the step it belongs to ran and returned it.',
  });
}

function lookUp(reference: Exclude<Reference, { kind: 'invalid' }>, scope: Scope): unknown {
  switch (reference.kind) {
    case 'input':
      return valueAt(scope.inputs, [reference.name]);
    case 'step':
      return stepValue(scope.steps.get(reference.step), reference);
    case 'previous':
      return stepValue(scope.previous, reference);
    case 'item':
      return valueAt(scope.item, reference.path);
    case 'index':
      return scope.index;
    case 'iteration':
      return scope.iteration;
    case 'marker':
      return COMPLETION_MARKER;
  }
}

function stepValue(
  step: StepValue | undefined,
  { field, path }: { field: StepField; path: readonly string[] },
): unknown {
  return valueAt(step?.[field], path);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listIn(text: string): unknown[] {
  const plain = text.trim();
  // Agents like to put JSON into a fenced block, even if asked not to.
  const inside = /^```(?:json)?\s*\n([\s\S]*)\n```$/i.exec(plain)?.[1] ?? plain;
  return (
    jsonArray(inside) ??
    plain
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  );
}

function jsonArray(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
