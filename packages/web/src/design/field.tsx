import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './field.module.css';
import { validationError } from './validation-error.ts';

/** True if fields show their validation errors at once, because no form is submitted. */
export const SayAtOnce = createContext(false);

type Around = {
  label: string;
  hideLabel?: boolean | undefined;
  hint?: ReactNode;
  /** An error that is shown at once. */
  error?: string | undefined;
  /** A problem that the browser cannot detect. It is shown on submit and blocks the form. */
  unfit?: string | undefined;
};

type InputProps = Around &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'> & {
    ref?: Ref<HTMLInputElement>;
  };

/** A line of text with its label. */
export function TextField({ label, hideLabel, hint, error, unfit, ...rest }: InputProps) {
  return (
    <Labelled {...{ label, hideLabel, hint, error, unfit }}>
      {(aria) => <input type="text" {...rest} {...aria} className={styles.control} />}
    </Labelled>
  );
}

type TextAreaProps = Around &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'id'> & {
    ref?: Ref<HTMLTextAreaElement>;
    /** Starts with one line and grows with its text, up to the height of a screen. */
    grows?: boolean;
  };

/** Several lines of text with their label. */
export function TextArea({ label, hideLabel, hint, error, unfit, grows, ...rest }: TextAreaProps) {
  const growing = grows && { 'data-grows': true, rows: linesOf(rest.value) };
  return (
    <Labelled {...{ label, hideLabel, hint, error, unfit }}>
      {(aria) => <textarea {...growing} {...rest} {...aria} className={styles.control} />}
    </Labelled>
  );
}

/** For browsers that cannot fit a field to its text. */
function linesOf(value: unknown): number {
  return Math.min(12, `${value ?? ''}`.split('\n').length);
}

type SelectProps = Omit<Around, 'unfit'> &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'id'> & {
    options: readonly { value: string; label: string; disabled?: boolean }[];
  };

/** A choice from a list, with its label. */
export function SelectField({ label, hideLabel, hint, error, options, ...rest }: SelectProps) {
  return (
    <Labelled {...{ label, hideLabel, hint, error }}>
      {(aria) => (
        <select {...rest} {...aria} className={styles.control} data-select>
          {options.map(({ value, label: words, disabled }) => (
            <option key={value} value={value} disabled={disabled}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

type CheckProps = { label: ReactNode; hint?: ReactNode } & Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'className' | 'id' | 'type'
>;

/** A checkbox with its label. */
export function CheckField({ label, hint, ...rest }: CheckProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...rest} />
      <span>
        {label}
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  );
}

type Aria = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

function Labelled({
  label,
  hideLabel,
  hint,
  error,
  unfit,
  children,
}: Around & { children: (aria: Aria) => ReactNode }) {
  const id = useId();
  const [mistake, check] = useMistake(unfit);
  const wrong = error ?? mistake;
  const isDescribed = hint !== undefined || wrong !== undefined;
  return (
    <div className={styles.field} {...check}>
      <label htmlFor={id} className={hideLabel ? 'only-for-readers' : styles.label}>
        {label}
      </label>
      {children({
        id,
        ...(isDescribed ? { 'aria-describedby': `${id}-about` } : {}),
        ...(wrong === undefined ? {} : { 'aria-invalid': true }),
      })}
      {isDescribed && (
        <div id={`${id}-about`} className={wrong === undefined ? styles.hint : styles.error}>
          {wrong ?? hint}
        </div>
      )}
    </div>
  );
}

/** The validation error, shown from the first submit until it is fixed. */
function useMistake(unfit = '') {
  const [mistake, setMistake] = useState<string>();
  const isAtOnce = useContext(SayAtOnce);
  const frame = useRef<HTMLDivElement>(null);
  const look = () => {
    const field = fieldIn(frame.current);
    if (field) setMistake(validationError(field));
  };
  const lookAgain = () => {
    if (isAtOnce || mistake !== undefined) look();
  };
  useLayoutEffect(() => fieldIn(frame.current)?.setCustomValidity(unfit), [unfit]);
  // What mends it can also come from elsewhere, as with "reset".
  useEffect(lookAgain);
  // The event "invalid" does not bubble.
  return [mistake, { ref: frame, onInvalidCapture: look, onInput: lookAgain }] as const;
}

function fieldIn(frame: HTMLElement | null): HTMLInputElement | null | undefined {
  return frame?.querySelector<HTMLInputElement>('input, textarea, select');
}
