import type { LineShapes } from './line-shapes.ts';
import type { Observation } from './observe.ts';

/** Changes from one release to another. */
export type Comparison = {
  /** Changes that break what Baton promises, which need a fix. */
  broken: string[];
  /** Changes that Baton copes with, but that its authors should know. */
  changed: string[];
};

/**
 * Compares the observations of a release in all scenarios with those of the pinned one. The pinned release itself is
 * compared with nothing: then only problems of its own are found.
 */
export function compareAll(
  pinned: readonly Observation[] | undefined,
  other: readonly Observation[],
): Comparison {
  const before = pinned ?? other;
  const comparisons = other.flatMap((each) => {
    const old = before.find(({ scenario }) => scenario === each.scenario);
    return old ? [compare(old, each)] : [];
  });
  const shapes = (all: readonly Observation[]) => mergeShapes(all.map((each) => each.shapes));
  return {
    broken: comparisons.flatMap(({ broken }) => broken),
    changed: [
      ...comparisons.flatMap(({ changed }) => changed),
      ...compareShapes(shapes(before), shapes(other)),
    ],
  };
}

/** Compares the observation of a release in a scenario with that of the pinned one. */
export function compare(pinned: Observation, other: Observation): Comparison {
  const broken = [
    ...other.unparsed.map((line) => `a line that Baton does not understand: ${clip(line)}`),
    ...other.brokenPromises,
    ...differs('outcome', end(pinned), end(other)),
    ...differs('tools', pinned.tools.join(', '), other.tools.join(', ')),
    ...(other.concurrent ? [] : differentAnswer(pinned, other)),
    ...resumedCost(other),
    ...pinned.events
      .filter((type) => type !== 'unparsed' && !other.events.includes(type))
      .map((type) => `no ${type} any more`),
    ...(other.stop && other.stop.state !== 'stopped' ? ['the stop could not be verified'] : []),
  ];
  const changed = [
    ...(other.concurrent ? [] : differs('cost', dollars(pinned), dollars(other))),
    ...differs('exit code', pinned.exitCode, other.exitCode),
    ...differs('stop steps', pinned.stop?.steps.join(', '), other.stop?.steps.join(', ')),
    ...slowerStop(pinned, other),
  ];
  const about = (line: string) => `${other.scenario}: ${line}`;
  return { broken: broken.map(about), changed: changed.map(about) };
}

/** Compares the lines that two releases printed in all scenarios together. */
export function compareShapes(pinned: LineShapes, other: LineShapes): string[] {
  return [
    ...typesOnlyIn(other, pinned).map((type) => `new line type: ${type}`),
    ...typesOnlyIn(pinned, other).map((type) => `gone line type: ${type}`),
    ...fieldsOnlyIn(other, pinned).map((line) => `new fields: ${line}`),
    ...fieldsOnlyIn(pinned, other).map((line) => `gone fields: ${line}`),
  ];
}

function typesOnlyIn(one: LineShapes, other: LineShapes): string[] {
  return [...one.keys()].filter((type) => !other.has(type));
}

/** Merges equal fields of several line types into one line. */
function fieldsOnlyIn(one: LineShapes, other: LineShapes): string[] {
  const typesByFields = new Map<string, string[]>();
  for (const [type, fields] of one) {
    const known = other.get(type);
    if (!known) continue;
    const only = outermost([...fields].filter((field) => !known.has(field))).join(', ');
    if (only !== '') typesByFields.set(only, [...(typesByFields.get(only) ?? []), type]);
  }
  return [...typesByFields].map(([fields, types]) => `${fields} (${types.join(', ')})`);
}

/** Joins the lines of several scenarios. */
export function mergeShapes(all: readonly LineShapes[]): LineShapes {
  const merged: LineShapes = new Map();
  for (const [type, fields] of all.flatMap((shapes) => [...shapes])) {
    merged.set(type, new Set([...(merged.get(type) ?? []), ...fields]));
  }
  return merged;
}

/** Omits fields inside a field that is already listed. */
function outermost(fields: readonly string[]): string[] {
  return fields.filter(
    (field) =>
      !fields.some((other) => field.startsWith(`${other}.`) || field.startsWith(`${other}[`)),
  );
}

function differentAnswer(pinned: Observation, other: Observation): string[] {
  return [
    ...differs('output', pinned.output, other.output),
    ...differs('input tokens', pinned.inputTokens, other.inputTokens),
    ...differs('output tokens', pinned.outputTokens, other.outputTokens),
  ];
}

/** Both runs use the same tokens; a reused cache may make the second cheaper. */
function resumedCost({ resumedCost: ratio }: Observation): string[] {
  const isMore = ratio !== undefined && ratio > 1.01;
  return isMore ? [`the resumed run costs ${ratio.toFixed(2)} × the first one`] : [];
}

function slowerStop({ stop: pinned }: Observation, { stop: other }: Observation): string[] {
  const isSlower = pinned && other && other.ms > 2 * Math.max(pinned.ms, 100);
  return isSlower ? [`the stop takes ${other.ms} ms instead of ${pinned.ms} ms`] : [];
}

function differs(what: string, before: unknown, after: unknown): string[] {
  return before === after ? [] : [`${what}: ${clip(before)} → ${clip(after)}`];
}

function end({ outcome, error }: Observation): string {
  return error === undefined ? outcome : `${outcome} (${error})`;
}

function dollars({ costUsd }: Observation): string {
  return costUsd === undefined ? 'none' : `$${costUsd.toFixed(6)}`;
}

function clip(value: unknown): string {
  const text = value === undefined ? 'none' : String(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
