import type { FormEvent, FormHTMLAttributes, KeyboardEvent } from 'react';
import { isComposing } from './keyboard-events.ts';

type Props = Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit' | 'noValidate'> & {
  /** Called when every field is right. */
  onSubmit: (form: HTMLFormElement) => void;
};

/**
 * A form whose fields say themselves what is wrong with them, in place of bubbles of the browser. With Ctrl or ⌘, Enter
 * sends it also from a field where it begins a new line.
 */
export function Form({ onSubmit, onKeyDown, ...rest }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    // Every field that is wrong hears of it, also those below the first.
    if (form.checkValidity()) return onSubmit(form);
    form.querySelector<HTMLElement>(':invalid:not(fieldset)')?.focus();
  };
  const onKey = (event: KeyboardEvent<HTMLFormElement>) => {
    const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isSent && !isComposing(event.nativeEvent)) {
      event.preventDefault();
      press(event.currentTarget);
    }
    onKeyDown?.(event);
  };
  return <form {...rest} noValidate onSubmit={submit} onKeyDown={onKey} />;
}

/** Its button reflects whether the form can be submitted; in a dialog it is outside the form. */
function press({ elements }: HTMLFormElement): void {
  const buttons = [...elements].filter((each) => each instanceof HTMLButtonElement);
  buttons.find(({ type }) => type === 'submit')?.click();
}
