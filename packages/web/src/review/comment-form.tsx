import { type KeyboardEvent, useState } from 'react';
import { complain } from '../data/attempt.ts';
import { keepDraft, keptDraft } from '../data/draft.ts';
import { Button } from '../design/button.tsx';
import { TextArea } from '../design/field.tsx';
import styles from './review.module.css';

type Props = {
  /** Name under which the text is kept until it is sent, also when the page is reloaded. */
  draftKey: string;
  text?: string;
  /** Label of the submit button. */
  verb: string;
  /** The lines that it is about, in words. */
  about?: string;
  onSubmit: (text: string) => Promise<unknown>;
  onClose: () => void;
};

/** A field for a comment. */
export function CommentForm(props: Props) {
  const { draftKey, text: before = '', verb, about, onSubmit, onClose } = props;
  const [text, setText] = useState(() => keptDraft(draftKey).text || before);
  const write = (next: string) => {
    setText(next);
    keepDraft(draftKey, { text: next });
  };
  const close = () => {
    keepDraft(draftKey, { text: '' });
    onClose();
  };
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    if (text.trim() === '') return;
    setBusy(true);
    try {
      await onSubmit(text.trim());
      close();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && (text === before || text.trim() === '')) {
      event.preventDefault();
      close();
    }
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void submit();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field in it
    <div className={styles.card} onKeyDown={onKeyDown}>
      <TextArea
        label={about ? `Comment on ${about}` : 'Comment'}
        grows
        autoFocus
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <div className={styles.actions}>
        <Button small look="primary" busy={isBusy} idle={text.trim() === ''} onClick={submit}>
          {verb}
        </Button>
        <Button small look="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
