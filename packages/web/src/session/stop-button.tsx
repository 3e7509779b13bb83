import type { TaskRecord } from '@baton/protocol';
import { useEffect, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { isComposing, isSomethingOpen } from '../shell/keys.ts';
import { useStopTask } from './stop-task.ts';

/** Stops the task, and shows how far that has come: requested, stopping, stopped. Esc asks first. */
export function StopButton({ task }: { task: TaskRecord }) {
  const stopTask = useStopTask();
  const [requested, request] = useState<string>();
  const [isAsking, ask] = useState(false);
  const isRequested = requested === task.task_id;
  const isStopping = task.status === 'STOPPING';
  const isIdle = !isRequested && !isStopping;
  useEffect(() => {
    if (!isIdle) return;
    // Escape first closes what is open, and has closed it when it arrives here.
    let wasOpen = false;
    const beforeAll = () => {
      wasOpen = isSomethingOpen();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (wasOpen || isComposing(event)) return;
      ask(true);
    };
    addEventListener('keydown', beforeAll, { capture: true });
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', beforeAll, { capture: true });
      removeEventListener('keydown', onKey);
    };
  }, [isIdle]);
  const stop = async () => {
    ask(false);
    request(task.task_id);
    if (!(await stopTask(task))) request(undefined);
  };
  return (
    <>
      <Button look="danger" icon="stop" disabled={!isIdle} onClick={stop}>
        {isStopping ? 'Stopping …' : isRequested ? 'Stop requested' : 'Stop'}
      </Button>
      <Dialog
        title="Stop the agent?"
        open={isAsking}
        onClose={() => ask(false)}
        actions={
          <>
            <Button look="quiet" onClick={() => ask(false)}>
              Let it work
            </Button>
            <Button look="primary" icon="stop" onClick={stop} data-autofocus>
              Stop it
            </Button>
          </>
        }
      >
        What it has done so far stays. You can go on with another prompt.
      </Dialog>
    </>
  );
}
