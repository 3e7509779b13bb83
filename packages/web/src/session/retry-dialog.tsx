import { usePromptActions } from './prompt-actions.ts';
import { PromptDialog } from './prompt-dialog.tsx';

type Props = { taskId: string; text: string; onClose: () => void };

/** Gives a prompt once more with other words, in a copy of the session as it was before it. */
export function RetryDialog({ taskId, text, onClose }: Props) {
  const { retryWith } = usePromptActions();
  return (
    <PromptDialog
      title="Edit and try again"
      verb="Try again in a copy"
      hint="It is given in a copy of the session as it was before this prompt; this session stays as it is."
      text={text}
      onClose={onClose}
      onSubmit={(prompt) => retryWith(taskId, prompt)}
    />
  );
}
