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
  /** What its button does. */
  verb: string;
  /** What the button does that leaves everything as it is. */
  back?: string;
  /** It ends or removes something, with nothing to fill in: the button that changes nothing has the focus. */
  danger?: boolean;
  wide?: boolean;
  /**
   * Does it; what it throws is shown, and the dialog stays open. An element that it gives takes the place of the form:
   * another dialog after this one would be closed by the focus that goes back to the page.
   */
  onSubmit: (fields: FormData) => Promise<unknown>;
  children: ReactNode;
};

/** A dialog with something to fill in or to confirm; it closes when that is done. */
export function FormDialog(props: Props) {
  const { title, open, onClose, verb, back = 'Cancel', danger, wide } = props;
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
      <Button look={danger ? 'danger' : 'primary'} type="submit" form={id} busy={busy}>
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
