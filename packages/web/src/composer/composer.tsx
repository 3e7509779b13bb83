import { type ReactNode, useRef, useState } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { Button } from '../design/button.tsx';
import { Trouble } from '../design/trouble.tsx';
import { AttachButton } from './attach-button.tsx';
import type { Completion } from './completion.tsx';
import styles from './composer.module.css';
import { type Draft, draftSent } from './draft.ts';
import { FileList } from './file-list.tsx';
import { filesOf } from './files-of.ts';
import { fittingFiles } from './fitting-files.ts';
import { PromptField } from './prompt-field.tsx';
import { takeFocus } from './take-focus.ts';
import { useAutoFocus } from './use-auto-focus.ts';
import { useDraft } from './use-draft.ts';
import { useTypedText } from './use-typed-text.ts';
import { useWriteKey } from './write-key.ts';

/** Whether a prompt was sent, or is kept because of something that is said elsewhere. */
export type Sent = 'sent' | 'kept';

type Props = {
  label: string;
  placeholder: string;
  /** By which what was begun is kept while other views are looked at. */
  draftKey: string;
  /** The words on the button that sends. */
  send: string;
  /** Those words where files change what sending does. */
  sendWithFiles?: string | undefined;
  /** Sends it; what is thrown is shown, and nothing that was written is lost. */
  onSend: (draft: Draft) => Promise<Sent>;
  completions?: readonly Completion[];
  /** What can be chosen along with it, below the text. */
  choices?: ReactNode;
  /** Beside the button that sends. */
  actions?: ReactNode;
  disabled?: boolean;
  /** Whether the field takes the focus unless something else is in use. Turned off, an unused field gives it back. */
  autoFocus?: boolean;
  rows?: number;
};

const NONE: readonly Completion[] = [];

/** Where people write what an agent shall do. */
export function Composer(props: Props) {
  const { label, placeholder, draftKey, send, onSend, completions = NONE } = props;
  const { sendWithFiles = send, choices, actions, disabled, autoFocus, rows = 1 } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, write, files, attach } = useDraft(draftKey);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  useWriteKey(field);
  useTypedText(field, draftKey);
  useAutoFocus(field, autoFocus ?? false);
  const isEmpty = text.trim() === '';
  const submit = async () => {
    if (isEmpty || isSending || disabled) return;
    setSending(true);
    setError(undefined);
    try {
      if ((await onSend({ text, files })) === 'kept') return;
      draftSent(draftKey, { text, files });
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
      if (field.current) takeFocus(field.current);
    }
  };
  const add = (more: readonly File[]) => {
    const { files: fitting, refusal } = fittingFiles(files, more);
    attach(fitting);
    setError(refusal);
  };
  return (
    <form
      className={styles.composer}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const dropped = filesOf(event.dataTransfer);
        if (dropped.length === 0) return;
        event.preventDefault();
        add(dropped);
      }}
    >
      <PromptField
        {...{ field, label, placeholder, text, completions, rows, disabled }}
        onWrite={write}
        onSubmit={submit}
        onFiles={add}
      />
      <FileList files={files} onChange={attach} />
      {error !== undefined && <Trouble {...troubleOf(error)} />}
      <div className={styles.foot}>
        <div className={styles.choices}>
          <AttachButton disabled={disabled} onFiles={add} />
          {choices}
        </div>
        <div className={styles.actions}>
          {actions}
          <Button
            look="primary"
            type="submit"
            icon="send"
            busy={isSending}
            disabled={isEmpty || disabled}
          >
            {files.length > 0 ? sendWithFiles : send}
          </Button>
        </div>
      </div>
    </form>
  );
}
