import type { ChainRunRecord } from '@baton/client';
import type { ChainStatus } from '@baton/protocol';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { formPath } from '../form/form-path.ts';

type Props = { run: ChainRunRecord; status: ChainStatus; isStopping: boolean };

const ACTIVE: readonly ChainStatus[] = ['running', 'awaiting_approval', 'interrupted'];
const UNSUCCESSFUL: readonly ChainStatus[] = ['failed', 'timed_out', 'cancelled'];

/** The actions on a run that its status and the role of the user allow. */
export function RunActions({ run, status, isStopping }: Props) {
  const may = useMay('member');
  if (!may) return null;
  const { chain_run_id: id, file, chain } = run;
  return (
    <>
      {status === 'interrupted' && <ResumeButton id={id} label="Resume" />}
      {UNSUCCESSFUL.includes(status) && (
        <ResumeButton id={id} label="Run failed steps again" restart />
      )}
      {ACTIVE.includes(status) ? (
        <StopButton id={id} isStopping={isStopping} />
      ) : (
        <ButtonLink href={formPath(file, chain, id)} icon="play">
          Run again
        </ButtonLink>
      )}
    </>
  );
}

function ResumeButton({
  id,
  label,
  restart = false,
}: {
  id: string;
  label: string;
  restart?: boolean;
}) {
  const { client } = useDaemon();
  const [busy, setBusy] = useState(false);
  const resume = async () => {
    setBusy(true);
    await attempt(() => client.chainRuns.resume(id, { restart }));
    makeStale('chainRuns');
    setBusy(false);
  };
  return (
    <Button look="primary" icon="retry" busy={busy} onClick={resume}>
      {label}
    </Button>
  );
}

function StopButton({ id, isStopping }: { id: string; isStopping: boolean }) {
  const { client } = useDaemon();
  const [isAsked, ask] = useState(false);
  const stop = async () => {
    await client.chainRuns.stop(id);
    makeStale('chainRuns', 'tasks', 'sessions');
  };
  return (
    <>
      <Button look="danger" icon="stop" busy={isStopping} onClick={() => ask(true)}>
        {isStopping ? 'Stopping…' : 'Stop'}
      </Button>
      <FormDialog
        title="Stop the chain?"
        open={isAsked}
        onClose={() => ask(false)}
        verb="Stop"
        back="Keep running"
        danger
        onSubmit={stop}
      >
        <p>
          All running steps are stopped. Changes made so far are kept, and you can run the stopped
          steps again later.
        </p>
      </FormDialog>
    </>
  );
}
