import { useState } from 'react';
import { FormDialog } from '../data/form-dialog.tsx';
import { TextArea } from '../design/field.tsx';

type Props = {
  title: string;
  /** Label of the submit button. */
  verb: string;
  /** Effect of the submit button. */
  hint?: string;
  text: string;
  onClose: () => void;
  onSubmit: (text: string) => Promise<unknown>;
};

/** Edits the text of a prompt. */
export function PromptDialog({ title, verb, hint, text, onClose, onSubmit }: Props) {
  const [prompt, setPrompt] = useState(text);
  return (
    <FormDialog
      title={title}
      open
      onClose={onClose}
      wide
      verb={verb}
      onSubmit={() => onSubmit(prompt)}
    >
      <TextArea
        label="Prompt"
        hint={hint}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        rows={10}
        dir="auto"
        required
      />
    </FormDialog>
  );
}
