import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../design/button.tsx';
import { Form } from '../design/form.tsx';
import { Kbd } from '../design/kbd.tsx';
import type { AskedPermission } from './asked.ts';
import styles from './requests.module.css';

/** Props of every answer form. */
export type FormProps = {
  asked: AskedPermission;
  busy: boolean;
  /** True while the buttons have only just appeared in their positions. */
  unstable: boolean;
  /** True if the form was just opened: a form that scrolls back into view must not take the focus. */
  isNew: boolean;
  onBack: () => void;
};

/** The form for one kind of answer, with a button back to the others. */
export function AnswerForm({
  busy,
  unstable,
  isNew,
  words,
  widens = false,
  isConfirmation = false,
  onBack,
  onSubmit,
  children,
}: Omit<FormProps, 'asked'> & {
  words: string;
  /** True if it allows more than one action: its button is placed apart from the one that opened the form. */
  widens?: boolean;
  /** True if there is nothing to fill in: its button has the focus, and Enter presses it. */
  isConfirmation?: boolean;
  onSubmit: () => void;
  children: ReactNode;
}) {
  const submit = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isNew && isConfirmation) submit.current?.focus();
  }, [isNew, isConfirmation]);
  return (
    <Form className={styles.form} onSubmit={onSubmit}>
      {children}
      <div className={styles.ways} data-guarded="" data-widens={widens || undefined}>
        <Button
          ref={submit}
          look="primary"
          type="submit"
          // The Enter that opened the form, pressed twice, must not confirm it.
          busy={busy || (widens && unstable)}
          unstable={unstable}
          // Space is what people type by mistake: only Enter confirms.
          onKeyDown={(event) => {
            if (isConfirmation && event.key === ' ') event.preventDefault();
          }}
        >
          {words} {isConfirmation && <Kbd>Enter</Kbd>}
        </Button>
        <Button look="quiet" unstable={unstable} onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
