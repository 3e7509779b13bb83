import type { FormEvent, FormHTMLAttributes } from 'react';

type Props = Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit' | 'noValidate'> & {
  /** Called when every field is right. */
  onSubmit: (form: HTMLFormElement) => void;
};

/** A form whose fields say themselves what is wrong with them, in place of bubbles of the browser. */
export function Form({ onSubmit, ...rest }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    // Every field that is wrong hears of it, also those below the first.
    if (form.checkValidity()) return onSubmit(form);
    form.querySelector<HTMLElement>(':invalid:not(fieldset)')?.focus();
  };
  return <form {...rest} noValidate onSubmit={submit} />;
}
