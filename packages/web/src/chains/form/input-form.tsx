import type { ChainRecord, ChainRunRecord, ChainsFileRecord } from '@baton/client';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { PromptId } from '../../composer/prompt-id.ts';
import { troubleOf } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Form } from '../../design/form.tsx';
import { Trouble } from '../../design/trouble.tsx';
import { FolderField } from '../../start/folder-field.tsx';
import { useFormDraft } from './form-draft.ts';
import { InputField } from './input-field.tsx';
import styles from './input-form.module.css';
import { valuesFor } from './input-values.ts';

type Props = {
  file: ChainsFileRecord;
  chain: ChainRecord;
  /** The run to repeat. */
  earlier: ChainRunRecord | undefined;
  /** The id of the sentence that says why the chain cannot run now. */
  reason: string | undefined;
};

/** The inputs of a chain, and the button that starts it. */
export function InputForm({ file: { file, folder }, chain, earlier, reason }: Props) {
  const { client } = useDaemon();
  const [, navigate] = useLocation();
  const [{ cwd, inputs: typed }, draft] = useFormDraft([file, chain.name, earlier?.chain_run_id], {
    cwd: earlier?.cwd ?? folder,
    inputs: earlier?.inputs ?? {},
  });
  // The file may have changed since.
  const inputs = valuesFor(chain.inputs, typed);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [runId] = useState(() => new PromptId());
  const folderField = useRef<HTMLInputElement>(null);
  const start = async () => {
    setBusy(true);
    setError(undefined);
    const run = { file, chain: chain.name, cwd: cwd.trim() || folder, inputs };
    try {
      const chain_run_id = runId.of(JSON.stringify(run));
      await client.chainRuns.create({ ...run, chain_run_id });
      draft.forget();
      makeStale('chainRuns', 'chains', 'sessions', 'tasks');
      navigate(`/chains/runs/${chain_run_id}`);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Form className={styles.form} onSubmit={start}>
      {chain.inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={inputs[input.name] ?? ''}
          onChange={(value) => draft.change({ cwd, inputs: { ...inputs, [input.name]: value } })}
        />
      ))}
      <FolderField
        ref={folderField}
        value={cwd}
        onChange={(path) => draft.change({ cwd: path, inputs })}
        recent={[folder]}
        onLeave={() => {}}
      />
      {error !== undefined && <Trouble {...troubleOf(error)} />}
      <div>
        <Button
          type="submit"
          look="primary"
          icon="play"
          busy={busy}
          disabled={reason !== undefined}
          aria-describedby={reason}
        >
          Run chain
        </Button>
      </div>
    </Form>
  );
}
