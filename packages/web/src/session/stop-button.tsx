import type { TaskRecord } from '@baton/protocol';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { isComposing, isSomethingOpen } from '../design/keyboard-events.ts';
import { useStable } from '../guard/use-stable.ts';
import { StopQuestion } from './tasks/stop-question.tsx';
import { useStopTask } from './tasks/stop-task.ts';

/** Stops the task, and shows how far that has come: requested, stopping, stopped. Esc asks first. */
export function StopButton({ task }: { task: TaskRecord }) {
  const stopTask = useStopTask();
  const [requested, request] = useState<string>();
  // A confirmation for one task must not stop the next one.
  const [asked, ask] = useState<string>();
  const isRequested = requested === task.task_id;
  const isStopping = task.status === 'STOPPING';
  const isIdle = !isRequested && !isStopping;
  const button = useRef<HTMLButtonElement>(null);
  const isStable = useStable(button, task.task_id);
  useEffect(() => {
    if (!isIdle) return;
    // Escape first closes what is open, and has closed it when it arrives here.
    let wasOpen = false;
    const beforeAll = () => {
      wasOpen = isSomethingOpen();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.repeat || event.defaultPrevented) return;
      if (wasOpen || isComposing(event)) return;
      ask(task.task_id);
    };
    addEventListener('keydown', beforeAll, { capture: true });
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', beforeAll, { capture: true });
      removeEventListener('keydown', onKey);
    };
  }, [isIdle, task.task_id]);
  const stop = async () => {
    request(task.task_id);
    if (!(await stopTask(task))) request(undefined);
  };
  return (
    <>
      <Button
        ref={button}
        data-guarded=""
        look="danger"
        icon="stop"
        busy={!isIdle || !isStable}
        onClick={stop}
      >
        {isStopping ? 'Stopping…' : isRequested ? 'Stop requested' : 'Stop'}
      </Button>
      {asked === task.task_id && (
        <StopQuestion
          task={task}
          onClose={() => ask(undefined)}
          onStopped={() => request(task.task_id)}
        />
      )}
    </>
  );
}
