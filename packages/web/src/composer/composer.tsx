import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { type Draft, draftSent, keepDraft, keptDraft } from '../data/draft.ts';
import { useDraft } from '../data/use-draft.ts';
import { Button } from '../design/button.tsx';
import { Trouble } from '../design/trouble.tsx';
import { isForView } from '../guard/single-keys.ts';
import { keyGuard } from '../guard/use-key-guard.ts';
import { AttachButton } from './attach-button.tsx';
import { attachableFiles } from './attachable-files.ts';
import { AttachmentList } from './attachment-list.tsx';
import type { Completion } from './completion.tsx';
import styles from './composer.module.css';
import { filesOf } from './files-of.ts';
import { PromptField } from './prompt-field.tsx';
import { takeFocus } from './take-focus.ts';
import { useAutoFocus } from './use-auto-focus.ts';

/** Result of sending a prompt; `kept` keeps the draft, and the caller shows the reason. */
export type Sent = 'sent' | 'kept';

type Props = {
  label: string;
  placeholder: string;
  /** The key of the draft, which is kept while other views are open. */
  draftKey: string;
  /** The label of the send button. */
  send: string;
  /** The label of the send button when attached files change its effect. */
  sendWithFiles?: string | undefined;
  /** Sends the prompt; an error it throws is shown and the draft is kept. */
  onSend: (draft: Draft) => Promise<Sent>;
  completions?: readonly Completion[];
  /** The options below the text. */
  choices?: ReactNode;
  /** Shown next to the send button. */
  actions?: ReactNode;
  disabled?: boolean;
  /** Focuses the field unless another control is in use. When turned off, an unused field loses the focus. */
  autoFocus?: boolean;
  rows?: number;
};

const NONE: readonly Completion[] = [];

/** The field for a prompt, with its attachments and options. */
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
  const mayKeepFocus = useRef(true);
  mayKeepFocus.current = autoFocus ?? true;
  const isEmpty = text.trim() === '';
  const submit = async () => {
    if (isEmpty || isSending || disabled) return;
    setSending(true);
    setError(undefined);
    try {
      if ((await onSend({ text, files })) === 'kept') return;
      draftSent(draftKey, { text, files });
      if (!mayKeepFocus.current) field.current?.blur();
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
      if (field.current && mayKeepFocus.current) takeFocus(field.current);
    }
  };
  const add = (more: readonly File[]) => {
    const { files: fitting, refusal } = attachableFiles(files, more);
    attach(fitting);
    setError(refusal);
  };
  return (
    <form
      className={styles.composer}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
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
      <AttachmentList files={files} onChange={attach} />
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

/** Focuses the field when `/` is pressed anywhere in the view. */
function useWriteKey(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isForView(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [field]);
}

/** Appends text that was typed elsewhere while a request was open to the draft, and focuses the field. */
function useTypedText(field: RefObject<HTMLTextAreaElement | null>, draftKey: string): void {
  useEffect(
    () =>
      keyGuard.setTextSink((text) => {
        keepDraft(draftKey, { text: keptDraft(draftKey).text + text });
        field.current?.focus();
      }),
    [field, draftKey],
  );
}
