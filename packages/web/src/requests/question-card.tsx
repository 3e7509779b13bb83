import type { Question } from '@baton/protocol';
import type { FormEvent } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icon.tsx';
import { useAnswerDraft } from './answer-draft.ts';
import type { AskedQuestion } from './asked.ts';
import styles from './requests.module.css';
import { useAnswer } from './use-answer.ts';

type Chosen = Record<string, { options: string[]; own: string }>;
const NOTHING = { options: [], own: '' };

/** Asks what an agent wants to know. */
export function QuestionCard({ asked }: { asked: AskedQuestion }) {
  const { questions } = asked.request;
  const may = useMay('member');
  const { isSent, answer } = useAnswer(asked);
  const [chosen, choose] = useAnswerDraft<Chosen>(asked, 'chosen', {});
  const answers = answersOf(questions, chosen);
  const isWhole = questions.every(({ id }) => (answers[id]?.length ?? 0) > 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) answer({ answers });
  };
  return (
    <form className={styles.card} aria-label="The agent asks a question" onSubmit={submit}>
      <header className={styles.head}>
        <Icon name="question" />
        <div role="status">
          <h3>The agent asks</h3>
        </div>
      </header>
      {questions.map((question) => (
        <OneQuestion
          key={question.id}
          question={question}
          chosen={chosen[question.id] ?? NOTHING}
          disabled={isSent || !may}
          onChoose={(choice) => choose({ ...chosen, [question.id]: choice })}
        />
      ))}
      {may ? (
        <div className={styles.ways}>
          <Button look="primary" type="submit" busy={isSent} disabled={!isWhole}>
            Answer
          </Button>
          <Button look="quiet" busy={isSent} onClick={() => answer({ declined: true })}>
            Decline to answer
          </Button>
        </div>
      ) : (
        <p className={styles.reason}>Members and owners can answer this.</p>
      )}
    </form>
  );
}

function OneQuestion({
  question: { id, header, question, options, multiple, freeText },
  chosen,
  disabled,
  onChoose,
}: {
  question: Question;
  chosen: Chosen[string];
  disabled: boolean;
  onChoose: (chosen: Chosen[string]) => void;
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
        {header && <span className={styles.header}>{header}</span>}
        {question}
      </legend>
      {options.map(({ label, description }) => (
        <label key={label} className={styles.option}>
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.options.includes(label)}
            onChange={() => toggle(label)}
          />
          <span dir="auto">
            {label}
            {description && <span className={styles.about}>{description}</span>}
          </span>
        </label>
      ))}
      {isOwnWelcome && (
        <TextField
          label="In your own words"
          hideLabel
          placeholder={options.length > 0 ? 'Or in your own words' : 'In your own words'}
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

function answersOf(questions: readonly Question[], chosen: Chosen): Record<string, string[]> {
  return Object.fromEntries(
    questions.map(({ id }) => {
      const { options, own } = chosen[id] ?? NOTHING;
      return [id, own.trim() === '' ? options : [...options, own.trim()]];
    }),
  );
}
