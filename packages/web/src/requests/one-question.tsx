import { type Question, showUnseenInText } from '@baton/protocol';
import { TextField } from '../design/field.tsx';
import { AnswerKey } from './answer-key.tsx';
import styles from './requests.module.css';

/** The selected options of a question, and the free text. */
export type Choice = { options: string[]; own: string };

const LAST_KEY = 9;

/** One question of an agent, with its options and room for other words. */
export function OneQuestion({
  question: { id, header, question, options, multiple, freeText },
  chosen,
  firstKey,
  disabled,
  onChoose,
}: {
  question: Question;
  chosen: Choice;
  /** The digit that chooses its first option, where digits choose. */
  firstKey: number | undefined;
  disabled: boolean;
  onChoose: (chosen: Choice) => void;
}) {
  const toggle = (label: string) => {
    if (!multiple) return onChoose({ options: [label], own: '' });
    const isOn = chosen.options.includes(label);
    const next = isOn
      ? chosen.options.filter((each) => each !== label)
      : [...chosen.options, label];
    onChoose({ ...chosen, options: next });
  };
  const isOwnWelcome = freeText || options.length === 0;
  return (
    <fieldset className={styles.question} disabled={disabled}>
      <legend dir="auto">
        {header && <span className={styles.header}>{showUnseenInText(header)}</span>}
        {showUnseenInText(question)}
      </legend>
      {options.map(({ label, description }, index) => (
        <label key={label} className={styles.option}>
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.options.includes(label)}
            onChange={() => toggle(label)}
          />
          <span dir="auto">
            {showUnseenInText(label)}
            {description && <span className={styles.about}>{showUnseenInText(description)}</span>}
          </span>
          {firstKey !== undefined && firstKey + index <= LAST_KEY && (
            <AnswerKey>{`${firstKey + index}`}</AnswerKey>
          )}
        </label>
      ))}
      {isOwnWelcome && (
        <TextField
          label="Other answer"
          hideLabel
          placeholder={options.length > 0 ? 'Other…' : 'Other answer'}
          value={chosen.own}
          onChange={({ target }) =>
            onChoose({ options: multiple ? chosen.options : [], own: target.value })
          }
          dir="auto"
        />
      )}
    </fieldset>
  );
}
