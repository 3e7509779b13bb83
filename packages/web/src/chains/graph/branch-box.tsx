import { CHAIN_LOOKS, NOT_STARTED } from '../status/chain-status.ts';
import styles from './graph.module.css';
import { Graph } from './graph.tsx';
import { IterationGroup } from './iteration-group.tsx';
import { StepFacts } from './step-facts.tsx';
import { StepHead } from './step-head.tsx';
import { StepProblem } from './step-problem.tsx';
import { hasOwnProblem, type StepNode } from './step-tree.ts';
import { kindWords } from './step-words.ts';

/** A step with others inside: parallel steps, a loop, or an agent that runs several times. */
export function BranchBox({ node }: { node: StepNode }) {
  const { outline, state, steps, iterations, usage } = node;
  const look = state ? CHAIN_LOOKS[state.status] : NOT_STARTED;
  return (
    <section className={styles.branch} aria-label={outline.id} data-tone={look.tone}>
      <StepHead name={outline.id} look={look} />
      <p className={styles.detail}>{kindWords(node)}</p>
      {steps.length > 0 && (
        <Graph
          nodes={steps}
          label={`Steps of ${outline.id}`}
          isParallel={outline.kind === 'parallel'}
        />
      )}
      {iterations.map((iteration, index) => (
        <IterationGroup
          key={iteration.path}
          outline={outline}
          iteration={iteration}
          isLast={index === iterations.length - 1}
        />
      ))}
      {state?.error && hasOwnProblem(node) && <StepProblem error={state.error} />}
      {state && <StepFacts state={state} usage={usage} />}
    </section>
  );
}
