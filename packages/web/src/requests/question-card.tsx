import type { Question } from '@baton/protocol';
import { type FormEvent, type RefObject, useRef } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useStable } from '../guard/use-stable.ts';
import { useAnswerDraft } from './answer-draft.ts';
import { useAnswerKeys } from './answer-keys.ts';
import type { AskedQuestion } from './asked.ts';
import { useHasKeys } from './has-keys.ts';
import { type Choice, OneQuestion } from './one-question.tsx';
import styles from './requests.module.css';
import { useAnswer } from './use-answer.ts';

type Chosen = Record<string, Choice>;
const NOTHING: Choice = { options: [], own: '' };
const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const OPTIONS = 'input[type=radio], input[type=checkbox]';

/** Asks what an agent wants to know. */
export function QuestionCard({ asked }: { asked: AskedQuestion }) {
  const { questions } = asked.request;
  const may = useMay('member');
  const card = useRef<HTMLFormElement>(null);
  const { isSent, answer } = useAnswer(asked);
  const isStable = useStable(card);
  const press = { busy: isSent, unstable: !isStable };
  const [chosen, choose] = useAnswerDraft<Chosen>(asked, 'chosen', {}, isChosen);
  const answers = answersOf(questions, chosen);
  const isWhole = questions.every(({ id }) => (answers[id]?.length ?? 0) > 0);
  const hasKeys = useHasKeys(asked);
  const keys = { hasKeys: hasKeys && may, isFree: !isSent && isStable, passesEnter: true };
  const isReady = useAnswerKeys(keys, card, digitKeys(card));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) void answer({ answers });
  };
  return (
    <form
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-request=""
      data-ready={isReady || undefined}
      aria-label="Question from the agent"
      onSubmit={submit}
    >
      <header className={styles.head}>
        <Icon name="question" />
        <div role="status">
          <h3>Question from the agent</h3>
        </div>
      </header>
      {questions.map((question, index) => (
        <OneQuestion
          key={question.id}
          question={question}
          firstKey={hasKeys && may ? 1 + optionsBefore(questions, index) : undefined}
          chosen={chosen[question.id] ?? NOTHING}
          disabled={isSent || !may}
          onChoose={(choice) => choose({ ...chosen, [question.id]: choice })}
        />
      ))}
      {may ? (
        <div className={styles.ways} data-guarded="">
          <Button look="primary" type="submit" {...press} disabled={!isWhole}>
            Answer
          </Button>
          <Button look="quiet" {...press} onClick={() => answer({ declined: true })}>
            Skip
          </Button>
        </div>
      ) : (
        <p className={styles.reason}>Only members and owners can respond.</p>
      )}
    </form>
  );
}

/** Digits choose the options of a card, counted through all its questions; Enter then gives the answer. */
function digitKeys(card: RefObject<HTMLElement | null>): Record<string, () => void> {
  const choose = (index: number) => {
    const option = card.current?.querySelectorAll<HTMLInputElement>(OPTIONS)[index];
    option?.focus();
    option?.click();
  };
  return Object.fromEntries(DIGITS.map((digit, index) => [digit, () => choose(index)]));
}

function isChosen(kept: unknown): boolean {
  if (typeof kept !== 'object' || kept === null) return false;
  return Object.values(kept).every(isChoice);
}

function isChoice(kept: unknown): boolean {
  const { own, options } = (kept ?? {}) as Partial<Record<keyof Choice, unknown>>;
  const areWords = Array.isArray(options) && options.every((each) => typeof each === 'string');
  return areWords && typeof own === 'string';
}

function optionsBefore(questions: readonly Question[], index: number): number {
  return questions.slice(0, index).reduce((sum, { options }) => sum + options.length, 0);
}

function answersOf(questions: readonly Question[], chosen: Chosen): Record<string, string[]> {
  return Object.fromEntries(
    questions.map(({ id }) => {
      const { options, own } = chosen[id] ?? NOTHING;
      return [id, own.trim() === '' ? options : [...options, own.trim()]];
    }),
  );
}
