import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { isComposing } from '../shell/keys.ts';
import type { AskedPermission } from './asked.ts';
import styles from './requests.module.css';

/** What every form of an answer gets. */
export type FormProps = {
  asked: AskedPermission;
  busy: boolean;
  /** Whether somebody has opened it just now: one that comes back into view must not take the focus. */
  isNew: boolean;
  onBack: () => void;
};

/** One way to answer a request, with the way back to the others. */
export function AnswerForm({
  busy,
  words,
  onBack,
  onSubmit,
  children,
}: Omit<FormProps, 'asked' | 'isNew'> & {
  words: string;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <Form
      className={styles.form}
      onSubmit={onSubmit}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onBack();
      }}
    >
      {children}
      <div className={styles.ways}>
        <Button look="primary" type="submit" busy={busy}>
          {words}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
