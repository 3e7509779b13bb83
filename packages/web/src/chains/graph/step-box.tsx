import type { OutlineStep, StepState } from '@baton/protocol';
import { useAgentName } from '../../agents/agent-name.ts';
import styles from './graph.module.css';
import { StepFacts } from './step-facts.tsx';
import { StepHead } from './step-head.tsx';
import { StepProblem } from './step-problem.tsx';
import type { StepNode } from './step-tree.ts';
import { useLiveStep } from './use-live-step.ts';

type Props = Pick<StepNode, 'outline' | 'state' | 'usage' | 'path'> & {
  /** Its id, unless it is one of several runs of the step. */
  name?: string;
};

/** A step that runs an agent or needs an approval: its state, what it does now, and the way to its session. */
export function StepBox({ outline, state, usage, path, name = outline.id }: Props) {
  const { look, progress, usage: usageNow } = useLiveStep(state);
  return (
    <article
      className={styles.box}
      data-tone={look.tone}
      data-kind={outline.kind}
      data-started={state !== undefined || undefined}
      aria-label={path}
    >
      <StepHead name={name} look={look} sessionId={state?.sessionId} />
      <Detail outline={outline} state={state} />
      {state?.message && (
        <p className={styles.message} dir="auto">
          {state.message}
        </p>
      )}
      {state?.decision && <Decision {...state.decision} />}
      {progress && (
        <p className={styles.progress} dir="auto">
          {progress}
        </p>
      )}
      {state?.error && !state.decision && <StepProblem error={state.error} />}
      {state && <StepFacts state={state} usage={usage ?? usageNow} />}
    </article>
  );
}

function Detail({ outline, state }: Pick<Props, 'outline' | 'state'>) {
  const agentName = useAgentName();
  return <p className={styles.detail}>{detailOf(outline, state, agentName)}</p>;
}

function detailOf(
  { kind, agent, backend: planned, iterations }: OutlineStep,
  state: StepState | undefined,
  agentName: (id: string) => string,
): string {
  if (kind === 'approval') return 'Approval';
  // A fallback may run it.
  const backend = state?.backend ?? planned;
  const parts = [agent, backend && agentName(backend), iterations && `up to ${iterations}×`];
  return parts.filter(Boolean).join(' · ');
}

function Decision({ decision, comment }: NonNullable<StepState['decision']>) {
  return (
    <p dir="auto">
      {decision === 'approve' ? 'Approved' : 'Rejected'}
      {comment && `: ${comment}`}
    </p>
  );
}
