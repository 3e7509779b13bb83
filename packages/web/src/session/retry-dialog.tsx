import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextArea } from '../design/field.tsx';
import { usePromptActions } from './prompt-actions.ts';

/** Gives a prompt once more with other words, in a copy of the session as it was before it. */
export function RetryDialog({
  taskId,
  text,
  onClose,
}: {
  taskId: string;
  text: string;
  onClose: () => void;
}) {
  const [prompt, setPrompt] = useState(text);
  const { retry } = usePromptActions();
  const send = async () => {
    onClose();
    await retry(taskId, prompt);
  };
  return (
    <Dialog
      title="Edit and retry"
      open
      onClose={onClose}
      wide
      actions={
        <Button look="primary" disabled={prompt.trim() === ''} onClick={send}>
          Retry in a copy
        </Button>
      }
    >
      <TextArea
        label="Prompt"
        hint="It is given in a copy of the session as it was before this prompt; this session stays as it is."
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        rows={10}
        dir="auto"
        data-autofocus
      />
    </Dialog>
  );
}
