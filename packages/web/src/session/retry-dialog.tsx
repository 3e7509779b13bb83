import { useState } from 'react';
import { FormDialog } from '../data/form-dialog.tsx';
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
  const { retryWith } = usePromptActions();
  return (
    <FormDialog
      title="Edit and retry"
      open
      onClose={onClose}
      wide
      verb="Retry in a copy"
      onSubmit={() => retryWith(taskId, prompt)}
    >
      <TextArea
        label="Prompt"
        hint="It is given in a copy of the session as it was before this prompt; this session stays as it is."
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        rows={10}
        dir="auto"
        required
        data-autofocus
      />
    </FormDialog>
  );
}
