import { isValidElement, type ReactNode, useId, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useFirstControl } from '../design/first-control.ts';
import { Form } from '../design/form.tsx';
import { Trouble } from '../design/trouble.tsx';
import { troubleOf } from './attempt.ts';
import styles from './form-dialog.module.css';

type Props = {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Label of the submit button. */
  verb: string;
  /** Label of the cancel button. */
  back?: string;
  /** For actions that end or remove something, without fields: the cancel button has the focus. */
  danger?: boolean;
  wide?: boolean;
  /** True while the form cannot be submitted; its content says why. */
  blocked?: boolean;
  /**
   * Submits the form; an error it throws is shown and the dialog stays open. If it returns an element, that replaces
   * the form: a second dialog would be closed when the focus returns to the page.
   */
  onSubmit: (fields: FormData) => Promise<unknown>;
  children: ReactNode;
};

/** A dialog with a form or a confirmation; it closes after a successful submit. */
export function FormDialog(props: Props) {
  const { title, open, onClose, verb, back = 'Cancel', danger, wide, blocked = false } = props;
  const { onSubmit, children } = props;
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [outcome, setOutcome] = useState<ReactNode>();
  const [first, watch] = useFirstControl();
  const close = () => {
    setError(undefined);
    setOutcome(undefined);
    onClose();
  };
  const submit = async (form: HTMLFormElement) => {
    setBusy(true);
    setError(undefined);
    try {
      const result = await onSubmit(new FormData(form));
      if (isValidElement(result)) setOutcome(result);
      else close();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const actions = outcome ? (
    <Button look="primary" onClick={close}>
      Done
    </Button>
  ) : (
    <>
      <Button look="quiet" onClick={close} data-autofocus={danger || undefined}>
        {back}
      </Button>
      <Button
        look={danger ? 'danger' : 'primary'}
        type="submit"
        form={id}
        busy={busy}
        idle={blocked}
      >
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog
      {...{ title, open, actions, wide }}
      onClose={close}
      initialFocus={danger ? undefined : first}
    >
      {outcome ? (
        <div key="outcome" ref={watch}>
          {outcome}
        </div>
      ) : (
        // A form around what opened the dialog must not be sent along with this one.
        <div ref={watch} onSubmit={(event) => event.stopPropagation()}>
          <Form id={id} className={styles.form} onSubmit={submit}>
            {children}
            {error !== undefined && <Trouble {...troubleOf(error)} />}
          </Form>
        </div>
      )}
    </Dialog>
  );
}
