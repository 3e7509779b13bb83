import { useMay } from '../../data/daemon.tsx';
import { Empty } from '../../design/empty.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { CodeBlock } from '../../markdown/code-block.tsx';
import styles from './list.module.css';

const EXAMPLE = `agents:
  developer:
    backend: claude
    permissionMode: auto
  reviewer:
    backend: codex

chains:
  fix:
    description: Plan, approve, fix and review
    inputs:
      task:
        description: What to fix
        multiline: true
    steps:
      - id: plan
        agent: developer
        prompt: "Plan how to do this, without changing any files: {{inputs.task}}"
      - id: approve-plan
        approve: "{{previous.output}}"
      - id: fix
        agent: developer
        prompt: "{{inputs.task}} Follow this plan: {{steps.plan.output}}"
      - id: review
        agent: reviewer
        prompt: Review the uncommitted changes.
`;

/** Says what a chains file is, where it belongs, and shows a first one. */
export function NoChains({ folder }: { folder: string }) {
  const may = useMay('member');
  return (
    <div>
      <Empty icon="chain" title={folder === '' ? 'No chains yet' : 'No chains file in this folder'}>
        <div className={styles.about}>
          <p>
            A chain runs several agents as one: in sequence, in parallel or in loops, with approvals
            in between. Chains are defined in a file in your project.
          </p>
          <p>
            Save this example as <code>chains.yaml</code> in{' '}
            {folder === '' ? 'a project folder' : <LiteralText text={folder} />}, then edit it.
          </p>
          {folder === '' && (
            <p>
              Files in folders with sessions are listed here.
              {may && ' For any other folder, enter its path above.'}
            </p>
          )}
        </div>
      </Empty>
      <div className={styles.example}>
        <CodeBlock text={EXAMPLE} language="yaml" />
      </div>
    </div>
  );
}
