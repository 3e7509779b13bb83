import type { OutlineStep } from '@baton/protocol';
import { labelsOf } from './step-labels.ts';

/** The steps of a chain as a Mermaid flowchart. */
export function mermaidOf(outline: readonly OutlineStep[]): string {
  let count = 0;
  const lines = (steps: readonly OutlineStep[], indent: string, isSequence: boolean): string[] => {
    const nodes = steps.map((step) => {
      count += 1;
      return {
        step,
        name: `n${count}`,
        inside: step.steps ? lines(step.steps, `${indent}  `, step.kind !== 'parallel') : [],
      };
    });
    const arrows = isSequence
      ? nodes.slice(1).map((node, index) => `${indent}${nodes[index]?.name} --> ${node.name}`)
      : [];
    return [
      ...nodes.flatMap(({ step, name, inside }) => drawn(step, name, inside, indent)),
      ...arrows,
    ];
  };
  return `${['flowchart TD', ...lines(outline, '  ', true)].join('\n')}\n`;
}

function drawn(step: OutlineStep, name: string, inside: string[], indent: string): string[] {
  const label = `"${labelOf(step)}"`;
  if (inside.length > 0) {
    // Mermaid would choose another direction in each nested box.
    const head = [`${indent}subgraph ${name}[${label}]`, `${indent}  direction TB`];
    return [...head, ...inside, `${indent}end`];
  }
  return [`${indent}${name}${step.kind === 'approval' ? `{{${label}}}` : `[${label}]`}`];
}

function labelOf(step: OutlineStep): string {
  const { title, detail, condition } = labelsOf(step);
  const parts = [title, detail, ...(condition ? [condition] : [])];
  return parts.map(escaped).join(step.steps ? ' · ' : '<br/>');
}

/** Everything that Mermaid or Markdown would interpret becomes an entity; `#` begins one. */
function escaped(text: string): string {
  return text.replaceAll(
    /[^\p{L}\p{N}\p{M} .,:/·×…()-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
